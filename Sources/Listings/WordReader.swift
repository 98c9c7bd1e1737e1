/// Walks through the words of a text, which are parted by blanks.
struct WordReader {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) { self.text = text }

    mutating func next() -> ArraySlice<UInt8>? {
        while position < text.count, Self.isBlank(text[position]) { position += 1 }
        guard position < text.count else { return nil }
        let start = position
        while position < text.count, !Self.isBlank(text[position]) { position += 1 }
        return text[start..<position]
    }

    func peek() -> ArraySlice<UInt8>? {
        var copy = self
        return copy.next()
    }

    /// ASCII blanks, and the bytes of a no-break space in Latin-1 (A0) and UTF-8 (C2 A0). A letter of another script
    /// may be cut at such a byte: no column that is read holds one.
    static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0xA0 || byte == 0xC2 }
}
