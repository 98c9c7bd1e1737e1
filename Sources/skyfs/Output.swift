import Glibc

/// Standard output and standard error, unbuffered.
enum Output {
    /// - Returns: false once nobody reads any more.
    @discardableResult
    static func print(_ text: String) -> Bool { Pipe.write(Array(text.utf8), to: STDOUT_FILENO) }

    @discardableResult
    static func print(_ bytes: [UInt8]) -> Bool { Pipe.write(bytes, to: STDOUT_FILENO) }

    static func error(_ text: String) { Pipe.write(Array(text.utf8), to: STDERR_FILENO) }
}
