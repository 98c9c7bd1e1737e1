/// Sizes as listings print them.
enum SizeText {
    /// - Parameter unit: the next word, for "12 KB".
    /// - Returns: nil if the word is no size.
    static func parse(_ word: Substring.UTF8View, unit: Substring.UTF8View? = nil) -> ListingEntry.Size? {
        let digits = word.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty, digits.count <= 18, let whole = Int64(Substring(digits)) else { return nil }
        var rest = word.dropFirst(digits.count)
        var tenths: Int64 = 0
        if rest.first == UInt8(ascii: "."), let digit = rest.dropFirst().first, (0x30...0x39).contains(digit) {
            tenths = Int64(digit - 0x30)
            rest = rest.dropFirst().drop { (0x30...0x39).contains($0) }
            if rest.isEmpty, unit == nil { return nil }
        }
        if rest.isEmpty, let unit { return scaled(whole, tenths, unit) ?? .exact(whole) }
        return rest.isEmpty ? .exact(whole) : scaled(whole, tenths, rest)
    }

    private static func scaled(_ whole: Int64, _ tenths: Int64, _ unit: Substring.UTF8View) -> ListingEntry.Size? {
        let letters = String(Substring(unit)).lowercased()
        if ["b", "byte", "bytes"].contains(letters) { return tenths == 0 ? .exact(whole) : .approximate(whole) }
        guard let first = letters.first, let power = "kmgtp".firstIndex(of: first),
            ["", "b", "ib"].contains(letters.dropFirst())
        else { return nil }
        let shift = 10 * ("kmgtp".distance(from: "kmgtp".startIndex, to: power) + 1)
        guard whole < Int64(1) << Int64(62 - shift) else { return nil }
        return .approximate(whole << shift + tenths << shift / 10)
    }
}
