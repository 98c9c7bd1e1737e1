import Glibc

/// How the task that closes a file came to close it, from `/proc/<pid>/stat`.
struct ClosingTask {
    // Of linux/sched.h.
    private static let exiting: UInt64 = 0x4
    private static let signaled: UInt64 = 0x400

    /// Whether a signal ends the task. One that catches a signal and ends by itself is not killed.
    let isKilled: Bool

    /// - Parameters:
    ///   - text: the file's text.
    ///   - showsExitCode: the exit code in it is real; the kernel shows 0 to a reader who may not trace the task.
    init?(_ text: String, showsExitCode: Bool) {
        // The second field, the command's name in parentheses, may hold anything.
        guard let end = text.unicodeScalars.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(whereSeparator: \.isWhitespace).dropFirst()
        let third = fields.startIndex
        guard fields.count >= 50, let flags = UInt64(fields[third + 6]), let exitCode = Int32(fields[third + 49]) else {
            return nil
        }
        guard flags & Self.exiting != 0, flags & Self.signaled != 0 else {
            isKilled = false
            return
        }
        // A thread has the mark of a signal, too, when another one ended the process by exit(3): the exit code then
        // names no signal.
        isKilled = exitCode & 0x7F != 0 || exitCode == 0 && !showsExitCode
    }

    /// The task that waits for the answer to a request; nil if it cannot be seen (another process namespace).
    init?(pid: pid_t, user: uid_t) {
        guard pid > 0 else { return nil }
        let descriptor = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let text = withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
        }
        self.init(text, showsExitCode: user == geteuid())
    }
}
