/// Bytes that are not ASCII, and NUL, as characters of a private-use area: byte b is U+F700 + b.
///
/// A page that holds those very characters loses nothing: its three bytes are encoded one by one like all others. Only
/// a character reference ("&#xF7E9;") to one of them is taken for the byte.
enum PrivateUseBytes {
    /// Two bytes of UTF-8 for U+F700...U+F7FF; the third holds the low six bits.
    private static let first: UInt8 = 0xEF
    private static let second: ClosedRange<UInt8> = 0x9C...0x9F

    /// Whether nothing in it has to be encoded.
    static func isPlain(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.allSatisfy { $0 < 0x80 && $0 != 0 } }

    static func encoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            if byte < 0x80, byte != 0 {
                result.append(byte)
            } else {
                result.append(first)
                result.append(second.lowerBound | byte >> 6)
                result.append(0x80 | byte & 0x3F)
            }
        }
        return result
    }

    /// Writes the bytes to `result`.
    /// - Returns: false, with `result` untouched, if `text` holds no such character.
    static func decode(_ text: Span<UInt8>, into result: inout [UInt8]) -> Bool {
        var index = 0
        while index < text.count, text[index] != first { index += 1 }
        guard index < text.count else { return false }
        result.removeAll(keepingCapacity: true)
        index = 0
        while index < text.count {
            if text[index] == first, index + 2 < text.count, second.contains(text[index + 1]) {
                result.append((text[index + 1] & 3) << 6 | text[index + 2] & 0x3F)
                index += 3
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return true
    }
}
