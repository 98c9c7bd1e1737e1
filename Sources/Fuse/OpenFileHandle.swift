import CFuse
import Glibc
import Synchronization

/// An open file as the kernel's file handle names it: the handle is the address of this object, so a read needs no
/// table.
final class OpenFileHandle: Sendable {
    let file: any OpenFile
    /// The task that changed the file last by this handle; 0 if none did, `unknown` if it cannot be seen.
    private let writer: Atomic<pid_t>
    private static let unknown: pid_t = -1

    /// - Parameter creator: the request that changed the file by opening it, if it did.
    init(_ file: any OpenFile, changedBy creator: OpaquePointer? = nil) {
        self.file = file
        writer = Atomic(creator.map(Self.task) ?? 0)
    }

    /// The request changes the file's content.
    func noteChange(by request: OpaquePointer) { writer.store(Self.task(of: request), ordering: .relaxed) }

    private static func task(of request: OpaquePointer) -> pid_t {
        guard let pid = fuse_req_ctx(request)?.pointee.pid, pid > 0 else { return unknown }
        return pid
    }

    /// Whether a signal ends the task that closes a descriptor and that has (or may have) written by it. A program may
    /// have left its descriptors to a child that is killed: what it wrote itself is not half for that.
    func isWriterKilled(_ closing: OpaquePointer) -> Bool {
        let writer = writer.load(ordering: .relaxed)
        guard writer != 0, let context = fuse_req_ctx(closing)?.pointee,
            ClosingTask(pid: context.pid, user: context.uid)?.isKilled == true
        else { return false }
        return writer == Self.unknown || !ClosingTask.lives(writer, outside: context.pid)
    }

    /// The number for `fi.fh`. It holds a reference that `release` gives back; call each once.
    var identifier: UInt64 {
        UInt64(UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()))
    }

    /// The object behind a number that the kernel handed back, between OPEN and RELEASE.
    static func named(_ identifier: UInt64) -> OpenFileHandle? {
        guard let pointer = UnsafeRawPointer(bitPattern: UInt(identifier)) else { return nil }
        // SAFETY: the kernel only names handles that it got and has not released; `identifier` retained this one.
        return Unmanaged<OpenFileHandle>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The answer to OPEN; see `Reply.opened`. Takes the reference of `identifier`.
    func information(directIO: Bool, keepCache: Bool, noFlush: Bool) -> fuse_file_info {
        var info = fuse_file_info()
        info.fh = identifier
        info.direct_io = directIO ? 1 : 0
        info.keep_cache = keepCache ? 1 : 0
        info.noflush = noFlush ? 1 : 0
        return info
    }

    /// Ends the handle's life after RELEASE, or when the kernel did not take it.
    func release() {
        file.release()
        Unmanaged.passUnretained(self).release()
    }
}
