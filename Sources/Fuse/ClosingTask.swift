import Glibc

/// How the task that closes a file came to close it, from `/proc/<pid>/stat`.
struct ClosingTask {
    // Of linux/sched.h.
    private static let exiting: UInt64 = 0x4
    private static let signaled: UInt64 = 0x400

    /// Whether the task is at its end, whatever ends it.
    let isEnding: Bool
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
        isEnding = flags & Self.exiting != 0
        guard isEnding, flags & Self.signaled != 0 else {
            isKilled = false
            return
        }
        // A thread has the mark of a signal, too, when another one ended the process by exit(3): the exit code then
        // names no signal.
        isKilled = exitCode & 0x7F != 0 || exitCode == 0 && !showsExitCode
    }

    /// Whether a task is not at its end, and belongs to another process than `closing` does.
    static func lives(_ task: pid_t, outside closing: pid_t) -> Bool {
        guard let process = process(of: task), process != self.process(of: closing),
            let text = text(of: task, "stat"), let task = ClosingTask(text, showsExitCode: false)
        else { return false }
        return !task.isEnding
    }

    private static func process(of task: pid_t) -> pid_t? {
        let line = text(of: task, "status")?.split(separator: "\n").first { $0.hasPrefix("Tgid:") }
        return line.flatMap { pid_t($0.dropFirst("Tgid:".count).trimmingPrefix(while: \.isWhitespace)) }
    }

    /// The task that waits for the answer to a request; nil if it cannot be seen (another process namespace).
    init?(pid: pid_t, user: uid_t) {
        guard pid > 0 else { return nil }
        guard let text = Self.text(of: pid, "stat") else { return nil }
        self.init(text, showsExitCode: user == geteuid())
    }

    private static func text(of pid: pid_t, _ name: String) -> String? {
        let descriptor = open("/proc/\(pid)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
        }
    }
}
