import Glibc
import Platform

/// Takes mounts away: root by the system call, others through the set-uid fusermount3.
enum Unmounting {
    /// - Parameter isLazy: also a mount in use; it is gone at once for all who do not use it.
    static func unmount(_ path: String, isLazy: Bool) throws(CommandError) {
        let flags = Int32(UMOUNT_NOFOLLOW) | (isLazy ? Int32(MNT_DETACH) : 0)
        if umount2(path, flags) == 0 { return }
        let errno = Errno.current
        if errno == .busy { throw busy(path) }
        guard errno == .notPermitted else { throw CommandError(.failure, "cannot unmount \(path): \(errno)") }
        try runFusermount(path, isLazy: isLazy)
    }

    private static func runFusermount(_ path: String, isLazy: Bool) throws(CommandError) {
        let words = ["fusermount3", "-u"] + (isLazy ? ["-z"] : []) + ["--", path]
        guard let errors = Pipe(), let child = ChildProcess(words, streams: .init(errors: errors.writing)) else {
            throw CommandError(
                .failure, "cannot unmount \(path): fusermount3 did not start", advice: "install the package fuse3")
        }
        close(errors.writing)
        let text = String(decoding: errors.readAll(), as: UTF8.self)
        close(errors.reading)
        if child.wait() == 0 { return }
        // It speaks English whatever the locale.
        if text.contains("busy") { throw busy(path) }
        let line = text.split(separator: "\n").first.map(String.init) ?? "fusermount3 failed"
        throw CommandError(
            .failure, "cannot unmount \(path): \(DisplayText.sanitized(line))",
            advice: "only root and the user who mounted it may unmount it")
    }

    private static func busy(_ path: String) -> CommandError {
        CommandError(
            .busy, "\(path) is busy: a program uses it", advice: "see which with fuser -vm \(path), end it, try again")
    }
}
