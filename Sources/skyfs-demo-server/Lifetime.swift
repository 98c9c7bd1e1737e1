import Glibc
import Platform

/// How long the program runs: it must not outlive whoever started it.
enum Lifetime {
    /// Makes SIGTERM and SIGINT wait for `waitForEnd`. Call it before any thread is started.
    static func blockSignals() {
        var signals = endingSignals
        pthread_sigmask(SIG_SETMASK, &signals, nil)
    }

    /// Returns at SIGTERM or SIGINT, or when standard input ends.
    static func waitForEnd() {
        let hasEnded = Condition(false)
        // The threads are never joined: the program's end ends them.
        _ = try? Thread.start(name: "signals") {
            var signals = endingSignals
            var number: Int32 = 0
            sigwait(&signals, &number)
            hasEnded.update { $0 = true }
        }
        if inputTellsEnd {
            _ = try? Thread.start(name: "stdin") {
                waitForEndOfInput()
                hasEnded.update { $0 = true }
            }
        }
        hasEnded.wait(until: { $0 }) { _ in }
    }

    private static var endingSignals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }

    /// Whether the end of standard input means that its other side is gone. A shell gives background jobs /dev/null,
    /// which ends at once and means nothing.
    private static var inputTellsEnd: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFIFO || kind == S_IFSOCK || isatty(STDIN_FILENO) == 1
    }

    private static func waitForEndOfInput() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count == 0 || count < 0 && errno != EINTR { return }
        }
    }
}
