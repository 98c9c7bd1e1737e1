import Glibc
import Platform

/// Looks at a mount point before anything is asked of a server, and takes a dead mount of ours away.
struct MountPointCheck {
    /// Absolute, without symbolic links.
    let path: String

    init(_ given: String, allowsNonEmpty: Bool) throws(CommandError) {
        // A dead mount may still answer stat from the kernel's cache, but never statfs.
        var disk = statvfs()
        if statvfs(given, &disk) != 0, Errno.current == .notConnected || Errno.current.rawValue == ECONNABORTED {
            try Self.removeDeadMount(given)
        }
        var status = stat()
        guard stat(given, &status) == 0 else {
            let errno = Errno.current
            throw CommandError(
                .mountPoint, "cannot mount on \(given): \(errno)",
                advice: errno == .noEntry ? "create it with mkdir -p \(given)" : nil)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandError(
                .mountPoint, "cannot mount on \(given): it is not a directory", advice: "give a directory")
        }
        guard let resolved = realpath(given, nil) else {
            throw CommandError(.mountPoint, "cannot mount on \(given): \(Errno.current)")
        }
        defer { free(resolved) }
        path = String(cString: resolved)
        if let type = MountList.type(at: path), type.hasPrefix("fuse.skyfs") {
            throw CommandError(
                .mountPoint, "cannot mount on \(path): skyfs is mounted there already",
                advice: "unmount it first with skyfs unmount \(path)")
        }
        guard allowsNonEmpty || Self.isEmpty(path) else {
            throw CommandError(
                .mountPoint, "cannot mount on \(path): the directory is not empty",
                advice: "give an empty directory, or -o nonempty to hide what is in it")
        }
    }

    private static func isEmpty(_ path: String) -> Bool {
        guard let directory = opendir(path) else { return true }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { return false }
        }
        return true
    }

    /// The process of an earlier mount was killed: "Transport endpoint is not connected".
    private static func removeDeadMount(_ given: String) throws(CommandError) {
        let path = MountList.absolute(given)
        guard MountList.type(at: path)?.hasPrefix("fuse.skyfs") ?? false else {
            throw CommandError(
                .mountPoint, "cannot mount on \(given): a dead mount of another program is there",
                advice: "take it away with fusermount3 -uz \(given)")
        }
        try Unmounting.unmount(path, isLazy: true)
    }
}
