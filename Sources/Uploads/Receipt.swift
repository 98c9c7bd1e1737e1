import FoundationEssentials

/// What a drop folder keeps of a file the server took: the text of `sent/NAME.json`.
package struct Receipt: Hashable, Codable, Sendable {
    package var name: String
    /// When the answer came, `2026-07-06T10:00:00Z`.
    package var time: String
    /// In bytes.
    package var size: Int64
    /// Of the content, in lower case hexadecimal.
    package var sha256: String
    package var status: Int
    /// The body of the server's answer as one line of at most 4 KiB.
    package var answer: String
    /// Of the target, without secrets.
    package var url: String
    /// Tries it took.
    package var attempts: Int
    package var idempotencyKey: String

    /// - Parameters:
    ///   - seconds: time of the answer since 1970.
    ///   - url: masked already.
    package init(
        name: String, seconds: Int64, size: Int64, sha256: String, status: Int, answer: String, url: String,
        attempts: Int, idempotencyKey: String
    ) {
        self.name = name
        time = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        self.size = size
        self.sha256 = sha256
        self.status = status
        self.answer = answer
        self.url = url
        self.attempts = attempts
        self.idempotencyKey = idempotencyKey
    }

    /// Indented JSON with a line feed at its end.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Encoding integers and strings cannot fail.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }
}
