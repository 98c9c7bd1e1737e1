import Glibc

/// Where the program says what happened: standard error, a file, or syslog. Any thread; one line per call.
package final class Log: Sendable {
    package enum Level: Int32, Comparable, Sendable {
        case error = 3, warning = 4, info = 6, debug = 7
        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    package enum Destination: Sendable {
        /// A descriptor that is never closed here (standard error, an opened log file).
        case descriptor(Int32)
        case syslog
        case nowhere
    }

    private let destination: Destination
    private let threshold: Level

    /// - Parameter threshold: the least urgent level that is written.
    package init(_ destination: Destination, threshold: Level = .info) {
        self.destination = destination
        self.threshold = threshold
    }

    /// Writes one line. Text that came from elsewhere passes `DisplayText.sanitized` here, so no message can forge a line.
    package func write(_ level: Level, _ message: @autoclosure () -> String) {
        guard level <= threshold else { return }
        let text = DisplayText.sanitized(message())
        switch destination {
        case .nowhere: return
        case .descriptor(let descriptor):
            let line = Array("skyfs: \(level == .error || level == .warning ? "" : "[\(level)] ")\(text)\n".utf8)
            _ = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        case .syslog:
            text.withCString { text in withVaList([text]) { vsyslog(level.rawValue, "%s", $0) } }
        }
    }

    package func error(_ message: @autoclosure () -> String) { write(.error, message()) }
    package func warning(_ message: @autoclosure () -> String) { write(.warning, message()) }
    package func info(_ message: @autoclosure () -> String) { write(.info, message()) }
    package func debug(_ message: @autoclosure () -> String) { write(.debug, message()) }
}
