import Glibc
import Platform

/// A lock on a folder that one process at a time holds, until this object or the process is gone.
///
/// `flock`, because a lock of `fcntl` would be lost with any other descriptor of the same file.
final class FolderLock: Sendable {
    /// How often a lock that another process holds is tried again.
    private static let interval: Duration = .milliseconds(50)

    private let descriptor: Int32

    /// Blocks up to `patience` while another process has it.
    /// - Throws: `.busy` if it still has it then.
    init(in folder: PrivateFolder, waiting patience: Duration) throws(StoreError) {
        descriptor = openat(folder.descriptor, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(.current, on: folder.name + "/lock") }
        let deadline = Instant.now() + patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let errno = Errno.current
            if errno == .interrupted { continue }
            guard errno == .again else { throw StoreError(errno, on: folder.name + "/lock") }
            guard Instant.now() < deadline else {
                throw StoreError("\(folder.name): in use by another process", errno: .busy)
            }
            usleep(UInt32(Self.interval.wholeNanoseconds / 1000))
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
