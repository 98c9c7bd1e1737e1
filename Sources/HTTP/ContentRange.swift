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
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else {
            self = .invalid
            return
        }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            self = .invalid
            return
        }
        let total = Self.number(parts[1])
        if parts[0] == "*" {
            self = total.map { .unsatisfied(total: $0) } ?? .invalid
            return
        }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]), first <= last,
            last < .max, parts[1] == "*" || total.map({ last < $0 }) ?? false
        else {
            self = .invalid
            return
        }
        self = .satisfied(bytes: first..<last + 1, total: total)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(text) : nil
    }
}
