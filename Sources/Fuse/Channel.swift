import CFuse
import Glibc
import Platform
import Synchronization

/// One libfuse session with what its requests need. It lives as long as its `Session` or any unanswered request,
/// so a reply given after the end finds valid memory.
// SAFETY: `session` is written once, before any request can arrive; libfuse's functions used on it are thread-safe.
final class Channel: @unchecked Sendable {
    let handler: any Handler
    let gate = ReplyGate()
    private let log: Log
    let readAhead: ReadAhead
    /// INIT flags that the answer being written lacks; 0 before and after that. See `write`.
    let missingInitFlags = Atomic<UInt32>(0)
    let isWritable: Bool
    private(set) var session: OpaquePointer?

    /// - Throws: `invalidOption` with libfuse's words.
    init(handler: any Handler, options: MountOptions, log: Log) throws(MountError) {
        self.handler = handler
        self.log = log
        readAhead = ReadAhead(log: log)
        isWritable = !options.readOnly
        LibraryLog.install(log)
        var operations = Self.operations(isWritable: isWritable)
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

    /// Speaks the protocol over `descriptor`, `/dev/fuse` or a socket, which the session then owns.
    func attach(_ descriptor: Int32) throws(MountError) {
        var functions = fuse_custom_io()
        functions.read = cfuse_read
        functions.writev = { descriptor, vector, count, userdata in
            guard let userdata, let vector else { return -1 }
            // SAFETY: the user data is the `Channel` that made the session; see `init`.
            return Unmanaged<Channel>.fromOpaque(userdata)._withUnsafeGuaranteedRef {
                $0.write(descriptor, UnsafeMutableBufferPointer(start: vector, count: Int(count)))
            }
        }
        let (result, words) = LibraryLog.capture { fuse_session_custom_io(session, &functions, descriptor) }
        guard result == 0 else { throw .refused(words) }
    }

    /// The channel of a request, without touching its reference count.
    static func of(_ request: OpaquePointer) -> Unmanaged<Channel>? {
        // SAFETY: the user data of every request of this module is the `Channel` that made the session.
        fuse_req_userdata(request).map { Unmanaged<Channel>.fromOpaque($0) }
    }

    /// Writes one answer. libfuse 3.14 forgets PARALLEL_DIROPS when it answers INIT; without that flag the kernel sends
    /// one LOOKUP or READDIR of a directory at a time and lets the others wait for it uninterruptibly. It does not know
    /// HANDLE_KILLPRIV_V2; without that the kernel sends a GETXATTR of "security.capability" before every WRITE. The
    /// promise that it makes, a write takes the set-ID bits off, is kept by never showing any.
    private func write(_ descriptor: Int32, _ vector: UnsafeMutableBufferPointer<iovec>) -> Int {
        let flags = missingInitFlags.load(ordering: .relaxed)
        if flags != 0 {
            missingInitFlags.store(0, ordering: .relaxed)
            if vector.count == 2, vector[1].iov_len >= MemoryLayout<fuse_init_out>.size, let body = vector[1].iov_base {
                body.assumingMemoryBound(to: fuse_init_out.self).pointee.flags |= flags
            }
        }
        let count = writev(descriptor, vector.baseAddress, Int32(vector.count))
        let failure = Errno.current
        if flags != 0 { readAhead.setReady() }
        if count < 0 {
            // ENOENT: the request is gone. libfuse is told the same of every other failure: it would print those.
            if failure != .noEntry { log.warning("an answer did not reach the kernel: \(failure)") }
            errno = ENOENT
        }
        return count
    }
}
