import Fuse
import Glibc
import Platform

/// Looks at a mount point before anything is asked of a server, and takes a dead mount of ours away.
struct MountPointCheck {
    /// Absolute, without symbolic links.
    let path: String

    init(_ given: String, allowsNonEmpty: Bool) throws(CommandError) {
        try Self.checkDevice()
        do { path = try MountPath.resolve(given) } catch { throw Self.error(given, error) }
        try Self.removeDeadMounts(path)
        if let type = MountList.type(at: path) {
            if type == MountList.ownType {
                throw CommandError(
                    .mountPoint, "cannot mount on \(path): skyfs is mounted there already",
                    advice: "unmount it first with skyfs unmount \(path)")
            }
            guard allowsNonEmpty else {
                throw CommandError(
                    .mountPoint, "cannot mount on \(path): a file system of type \(type) is mounted there already",
                    advice: "unmount it first, or give -o nonempty to hide it")
            }
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.error(given, .current) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw Self.error(given, .notDirectory) }
        guard allowsNonEmpty || Self.isEmpty(path) else {
            throw CommandError(
                .mountPoint, "cannot mount on \(path): the directory is not empty",
                advice: "give an empty directory, or -o nonempty to hide what is in it")
        }
    }

    private static func error(_ path: String, _ errno: Errno) -> CommandError {
        let advice: String? =
            switch errno {
            case .noEntry: "create it with mkdir -p \(path)"
            case .notDirectory: "give a directory"
            default: nil
            }
        return CommandError(.mountPoint, "cannot mount on \(path): \(errno)", advice: advice)
    }

    /// A machine without FUSE shall say so before a server is asked.
    private static func checkDevice() throws(CommandError) {
        if access("/dev/fuse", R_OK | W_OK) == 0 { return }
        let errno = Errno.current
        if errno == .noEntry { throw CommandError(MountError.noDevice) }
        throw CommandError(
            .noFuse, "cannot mount: /dev/fuse: \(errno)",
            advice: "mount as root, or see who may use it: ls -l /dev/fuse")
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

    /// The process of an earlier mount was killed: "Transport endpoint is not connected". There may be several, one over
    /// the other.
    private static func removeDeadMounts(_ path: String) throws(CommandError) {
        while MountList.type(at: path) == MountList.ownType {
            switch MountList.life(of: path) {
            case .alive: return
            case .dead: try Unmounting.unmount(path, isLazy: true)
            case .silent:
                throw CommandError(
                    .mountPoint, "cannot mount on \(path): the skyfs there does not answer",
                    advice: "take it away with fusermount3 -uz \(path)")
            }
        }
    }
}
