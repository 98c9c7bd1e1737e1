/// Reads JSON (RFC 8259) from front to back, value by value, without building a tree.
///
/// On bytes, since names of files are bytes: servers write them into their strings as they are, UTF-8 or not, where a
/// decoder of whole documents would refuse all of the document. Bounded in depth; the caller bounds the size.
/// What is not asked for has to be skipped with `skip`.
struct JSONReader {
    enum Kind { case object, array, string, number, bool, null }

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    /// An array or object has begun, and nothing in it was asked for yet.
    private var isAtBegin = false

    /// Listings have 2-3.
    private static let maximumDepth = 32

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// What the next value is; it stays to be read.
    mutating func kind() throws(ListingError) -> Kind {
        skipBlanks()
        switch position < bytes.count ? bytes[position] : 0 {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), 0x30...0x39: return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        default: throw malformed()
        }
    }

    mutating func beginArray() throws(ListingError) { try begin(UInt8(ascii: "[")) }

    /// Whether another value of the array that was begun last follows, to be read now. Ends the array otherwise.
    mutating func hasElement() throws(ListingError) -> Bool { try hasMore(before: UInt8(ascii: "]")) }

    mutating func beginObject() throws(ListingError) { try begin(UInt8(ascii: "{")) }

    /// The name of the next member of the object that was begun last; its value is to be read now.
    /// - Returns: nil at the end of the object.
    mutating func nextKey() throws(ListingError) -> [UInt8]? {
        guard try hasMore(before: UInt8(ascii: "}")) else { return nil }
        skipBlanks()
        let key = try string()
        skipBlanks()
        try expect(UInt8(ascii: ":"))
        return key
    }

    /// A string, its escapes undone. An escaped half of a surrogate pair becomes U+FFFD.
    mutating func string() throws(ListingError) -> [UInt8] {
        skipBlanks()
        try expect(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while position < bytes.count {
            let start = position
            while position < bytes.count, bytes[position] != UInt8(ascii: "\""), bytes[position] != UInt8(ascii: "\\") {
                position += 1
            }
            text += bytes[start..<position]
            guard position < bytes.count else { break }
            position += 1
            if bytes[position - 1] == UInt8(ascii: "\"") { return text }
            text += try escape()
        }
        throw malformed()
    }

    /// A number that is whole; nil for any other.
    mutating func integer() throws(ListingError) -> Int64? {
        skipBlanks()
        let start = position
        while position < bytes.count, Self.isNumeric(bytes[position]) { position += 1 }
        guard position > start else { throw malformed() }
        return Int64(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    mutating func bool() throws(ListingError) -> Bool {
        skipBlanks()
        let value = position < bytes.count && bytes[position] == UInt8(ascii: "t")
        try expect(word: value ? "true" : "false")
        return value
    }

    /// Passes over the next value, whatever it is.
    mutating func skip() throws(ListingError) {
        switch try kind() {
        case .string: _ = try string()
        case .number: _ = try integer()
        case .bool: _ = try bool()
        case .null: try expect(word: "null")
        case .array:
            try beginArray()
            while try hasElement() { try skip() }
        case .object:
            try beginObject()
            while try nextKey() != nil { try skip() }
        }
    }

    /// To be called once the outermost value was read.
    mutating func finish() throws(ListingError) {
        skipBlanks()
        guard position == bytes.count else { throw malformed() }
    }

    private mutating func begin(_ mark: UInt8) throws(ListingError) {
        skipBlanks()
        try expect(mark)
        depth += 1
        guard depth <= Self.maximumDepth else { throw .tooLarge }
        isAtBegin = true
    }

    private mutating func hasMore(before end: UInt8) throws(ListingError) -> Bool {
        skipBlanks()
        let isFirst = isAtBegin
        isAtBegin = false
        if position < bytes.count, bytes[position] == end {
            position += 1
            depth -= 1
            return false
        }
        if !isFirst { try expect(UInt8(ascii: ",")) }
        return true
    }

    /// What stands behind a backslash.
    private mutating func escape() throws(ListingError) -> [UInt8] {
        guard position < bytes.count else { throw malformed() }
        position += 1
        switch bytes[position - 1] {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "u"): return Array(String(try scalar()).utf8)
        case let byte: return [byte]
        }
    }

    /// The character of one `\uXXXX`, or of two that are a surrogate pair.
    private mutating func scalar() throws(ListingError) -> Unicode.Scalar {
        let first = try hexNumber()
        guard (0xD800..<0xDC00).contains(first), bytes[position...].starts(with: Array("\\u".utf8)) else {
            return Unicode.Scalar(first) ?? "\u{FFFD}"
        }
        let start = position
        position += 2
        let second = try hexNumber()
        guard (0xDC00..<0xE000).contains(second) else {
            position = start
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func hexNumber() throws(ListingError) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
            throw malformed()
        }
        position += 4
        return number
    }

    private mutating func skipBlanks() {
        while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
    }

    private mutating func expect(_ byte: UInt8) throws(ListingError) {
        guard position < bytes.count, bytes[position] == byte else { throw malformed() }
        position += 1
    }

    private mutating func expect(word: StaticString) throws(ListingError) {
        guard bytes[position...].starts(with: "\(word)".utf8) else { throw malformed() }
        position += word.utf8CodeUnitCount
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    private func malformed() -> ListingError {
        position < bytes.count ? .malformed("no JSON at byte \(position)") : .malformed("JSON that ends too early")
    }
}
