import Testing

/// Bytes of a file, compared as a whole: a mismatch shows where, not a mebibyte of numbers.
struct Bytes: Equatable, CustomTestStringConvertible {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var testDescription: String { "\(bytes.count) bytes \(bytes.prefix(8))…\(bytes.suffix(8))" }
}
