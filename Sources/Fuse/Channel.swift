import CFuse
import Glibc
import Platform
import Synchronization

/// One libfuse session with what its requests need. It lives as long as its `Session` or any unanswered request,
/// so a reply given after the end finds valid memory.
// SAFETY: `session` is written once, before any request can arrive; libfuse's functions used on it are thread-safe.
final class Channel: @unchecked Sendable {
    let handler: any Handler
    let log: Log
    let gate = ReplyGate()
    /// KiB that the next OPEN writes to the mount's `read_ahead_kb`; 0: nothing to do.
    let wantedReadAhead = Atomic<Int>(0)
    /// "major:minor" of the mounted file system; nil without a kernel.
    let device = Lock<String?>(nil)
    private(set) var session: OpaquePointer?

    /// - Throws: `invalidOption` with libfuse's words.
    init(handler: any Handler, options: MountOptions, log: Log) throws(MountError) {
        self.handler = handler
        self.log = log
        LibraryLog.install(log)
        var operations = Self.operations()
        var pointers: [UnsafeMutablePointer<CChar>?] = options.arguments.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        let (created, words) = LibraryLog.capture {
            pointers.withUnsafeMutableBufferPointer { argv in
                var arguments = fuse_args(argc: Int32(argv.count), argv: argv.baseAddress, allocated: 0)
                defer { fuse_opt_free_args(&arguments) }
                return fuse_session_new(
                    // SAFETY: unretained; libfuse uses it for requests only, and each of those retains this object.
                    &arguments, &operations, MemoryLayout<fuse_lowlevel_ops>.size,
                    Unmanaged.passUnretained(self).toOpaque())
            }
        }
        guard let created else { throw .invalidOption(words) }
        session = created
    }

    deinit { if let session { fuse_session_destroy(session) } }

    /// The channel of a request, without touching its reference count.
    static func of(_ request: OpaquePointer) -> Unmanaged<Channel>? {
        // SAFETY: the user data of every request of this module is the `Channel` that made the session.
        fuse_req_userdata(request).map { Unmanaged<Channel>.fromOpaque($0) }
    }

    /// Does what `Session.raiseReadAhead` asked for, once. Runs in OPEN: the kernel sends none before it has taken its
    /// own limit from the INIT answer (which would undo ours), and reads the value when OPEN has been answered.
    func raiseReadAheadIfWanted() {
        guard wantedReadAhead.load(ordering: .relaxed) != 0 else { return }
        let kibibytes = wantedReadAhead.exchange(0, ordering: .relaxed)
        guard kibibytes != 0, let device = device.withLock({ $0 }) else { return }
        let path = "/sys/class/bdi/\(device)/read_ahead_kb"
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return log.debug("read-ahead stays as it is: \(path): \(Errno.current)")
        }
        defer { close(descriptor) }
        let text = "\(kibibytes)"
        if write(descriptor, text, text.utf8.count) < 0 {
            log.debug("read-ahead stays as it is: \(path): \(Errno.current)")
        }
    }
}
