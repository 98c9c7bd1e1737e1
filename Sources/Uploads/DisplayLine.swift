import Platform

/// A server's words as one line that is safe to show.
enum DisplayLine {
    /// Runs of white space become one blank; the rest is `DisplayText`'s, 4 KiB at most.
    static func make(_ text: String) -> String {
        DisplayText.sanitized(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }
}
