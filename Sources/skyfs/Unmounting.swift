import Glibc
import Platform

/// Takes mounts away: root by the system call, others through the set-uid fusermount3.
enum Unmounting {
    static func unmount(_ path: String, isLazy: Bool) throws(CommandError) {
        let flags = Int32(UMOUNT_NOFOLLOW) | (isLazy ? Int32(MNT_DETACH) : 0)
        if umount2(path, flags) == 0 { return }
        let errno = Errno.current
        guard errno == .notPermitted else { throw error(path, errno) }
        let words = ["fusermount3", "-u"] + (isLazy ? ["-z"] : []) + [path]
        guard let child = ChildProcess(words, output: .discarded), child.wait() == 0 else {
            throw error(path, MountList.type(at: path) == nil ? .noEntry : .busy)
        }
    }

    private static func error(_ path: String, _ errno: Errno) -> CommandError {
        errno == .busy
            ? CommandError(
                .busy, "\(path) is busy: a program uses it",
                advice: "see which with fuser -vm \(path), end it, try again")
            : CommandError(.failure, "cannot unmount \(path): \(errno)")
    }
}
