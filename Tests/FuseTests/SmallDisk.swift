import Glibc
import Platform

/// A file system of 64 KiB.
enum SmallDisk {
    static let size = 64 * 1024

    /// The descriptor of a new file on it. Its folder is gone from the tree already, and it goes away with the
    /// descriptor.
    static func file() throws -> Int32 {
        let folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(size)") == 0 else { throw Errno.current }
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        let descriptor = open("\(folder.path)/file", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Errno.current }
        return descriptor
    }
}
