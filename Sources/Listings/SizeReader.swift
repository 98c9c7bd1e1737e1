/// Sizes as listings print them: "1234", "1,234 bytes", "1.2K", "1.2 MiB".
enum SizeReader {
    /// The size that is all of a text, such as a table's cell.
    static func size(_ text: [UInt8]) -> ListingEntry.Size {
        var words = WordReader(text)
        // Caddy marks the size of a symbolic link's target with an arrow.
        if let first = words.peek(), first.allSatisfy({ $0 >= 0x80 }) { _ = words.next() }
        guard let word = words.next() else { return .unknown }
        let unit = words.next() ?? []
        guard words.next() == nil else { return .unknown }
        if unit.isEmpty, let bytes = integer(word) ?? grouped(word) { return .exact(bytes) }
        return size(number: word, unit: unit) ?? .unknown
    }

    /// "1.2K", or "1.2" and "KB". nil if there is no number or no unit.
    static func size(number word: ArraySlice<UInt8>, unit: ArraySlice<UInt8>) -> ListingEntry.Size? {
        let digits = word.prefix { isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
        let letters = unit.isEmpty ? word[digits.endIndex...] : unit
        guard unit.isEmpty || digits.count == word.count, (1...16).contains(digits.count), let scale = scale(letters)
        else { return nil }
        if scale == 1 { return (integer(digits) ?? grouped(digits)).map { .exact($0) } }
        let plain = digits.contains(UInt8(ascii: ".")) ? digits.filter { $0 != UInt8(ascii: ",") }[...] : digits
        let text = String(decoding: plain.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
        guard let value = Double(text), value * scale < 0x1p62 else { return nil }
        return .approximate(Int64(value * scale))
    }

    static func integer(_ word: ArraySlice<UInt8>) -> Int64? {
        guard (1...18).contains(word.count), word.allSatisfy(isDigit) else { return nil }
        return word.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// "1,048,999": groups of three digits but for the first.
    private static func grouped(_ word: ArraySlice<UInt8>) -> Int64? {
        let groups = word.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard let first = groups.first, (1...3).contains(first.count), groups.dropFirst().allSatisfy({ $0.count == 3 })
        else { return nil }
        return integer(word.filter { $0 != UInt8(ascii: ",") }[...])
    }

    /// The factor of a unit like "K", "kB", "KiB", "bytes"; powers of 1024, as nearly all servers mean them.
    private static func scale(_ unit: ArraySlice<UInt8>) -> Double? {
        guard let first = unit.first, unit.count <= 5 else { return nil }
        let lowered = String(decoding: unit.map { $0 | 0x20 }, as: UTF8.self)
        if ["b", "byte", "bytes"].contains(lowered) { return 1 }
        guard let power = Array("kmgtp".utf8).firstIndex(of: first | 0x20),
            ["", "b", "ib"].contains(lowered.dropFirst())
        else { return nil }
        return (0...power).reduce(1) { factor, _ in factor * 1024 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
