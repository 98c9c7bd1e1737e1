import CFuse
import Glibc
import Platform

/// Where libfuse's own messages go. libfuse has one log function for the whole process, hence the global state.
enum LibraryLog {
    private struct State {
        var log: Log?
        /// Text of the threads that are inside `capture`.
        var captured: [pthread_t: String] = [:]
    }

    private static let state = Lock(State())

    /// Sends libfuse's messages to `log` from now on.
    static func install(_ log: Log) {
        state.withLock { $0.log = log }
        fuse_set_log_func { level, format, arguments in
            guard let format, let arguments else { return }
            LibraryLog.receive(level: level, format: format, arguments: arguments)
        }
    }

    /// Runs `body` and returns what libfuse said on this thread meanwhile, instead of logging it.
    static func capture<Result>(_ body: () -> Result) -> (Result, words: String) {
        let thread = pthread_self()
        state.withLock { $0.captured[thread] = "" }
        let result = body()
        let words = state.withLock { $0.captured.removeValue(forKey: thread) } ?? ""
        return (result, trimmed(words))
    }

    private static func receive(level: fuse_log_level, format: UnsafePointer<CChar>, arguments: CVaListPointer) {
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer -> String in
            guard let base = buffer.baseAddress, vsnprintf(base, buffer.count, format, arguments) >= 0 else {
                return ""
            }
            return String(cString: base)
        }
        let thread = pthread_self()
        let log = state.withLock { state -> Log? in
            guard state.captured[thread] != nil else { return state.log }
            state.captured[thread]?.append(text)
            return nil
        }
        let urgency: Log.Level =
            switch level {
            case FUSE_LOG_WARNING, FUSE_LOG_NOTICE: .warning
            case FUSE_LOG_INFO: .info
            case FUSE_LOG_DEBUG: .debug
            default: .error
            }
        log?.write(urgency, trimmed(text))
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
