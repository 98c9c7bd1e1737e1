/// A whole number in a header: a length or a count of seconds. Digits only, no sign.
enum HeaderNumber {
    /// - Returns: nil if the text is no such number; `.max` if it is too large (RFC 9111, 1.2.2, wants that for seconds).
    static func parse(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int64(text) ?? .max
    }
}
