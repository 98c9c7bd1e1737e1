/// The Content-Range header of a 206 or 416 (RFC 9110, 14.4).
package enum ContentRange: Hashable, Sendable {
    case absent
    /// Unreadable, or contradicting itself ("bytes=0-9/10", end before start, end past the total, twice and different).
    case invalid
    /// `bytes` has an exclusive end; `total` is nil for "*".
    case satisfied(bytes: Range<Int64>, total: Int64?)
    /// "bytes */N"
    case unsatisfied(total: Int64)

    init(header text: String) {
        self = Self.parse(text) ?? .invalid
    }

    private static func parse(_ text: String) -> ContentRange? {
        let words = text.split { $0 == " " || $0 == "\t" }
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let total = number(parts[1])
        if parts[0] == "*" { return total.map { .unsatisfied(total: $0) } }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = number(bounds[0]), let last = number(bounds[1]), first <= last else {
            return nil
        }
        if parts[1] == "*" { return .satisfied(bytes: first..<last + 1, total: nil) }
        guard let total, last < total else { return nil }
        return .satisfied(bytes: first..<last + 1, total: total)
    }

    private static func number(_ text: Substring) -> Int64? {
        HeaderNumber.parse(text).flatMap { $0 < .max ? $0 : nil }
    }
}
