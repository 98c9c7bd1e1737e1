/// The body of an answer; only what is sent is ever in memory.
package enum Body: Sendable {
    case bytes([UInt8])
    /// That part of the endless test pattern, sent without a copy.
    case pattern(Range<Int64>)
    /// Bytes made when they are sent: `make` gives exactly the bytes of the range, in pieces of at most 256 KiB.
    case generated(size: Int64, @Sendable (Range<Int64>) -> [UInt8])

    package static let empty = Body.bytes([])

    package static func text(_ text: String) -> Body { .bytes(Array(text.utf8)) }

    package var count: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .pattern(let range): Int64(range.count)
        case .generated(let size, _): size
        }
    }

    /// The part of the body at `range`, which lies within it.
    package func part(_ range: Range<Int64>) -> Body {
        switch self {
        case .bytes(let bytes): .bytes(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
        case .pattern(let all):
            .pattern(all.lowerBound + range.lowerBound..<all.lowerBound + range.upperBound)
        case .generated(_, let make):
            .generated(size: Int64(range.count)) {
                make(range.lowerBound + $0.lowerBound..<range.lowerBound + $0.upperBound)
            }
        }
    }

    /// Lends the first bytes of `range`: all of it, or as much as is at hand in one piece.
    // SAFETY: the pointer is lent to `use` while its array is held, and bounded by `range`, which lies within the body.
    func withPiece<Result>(
        _ range: Range<Int64>, _ use: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        switch self {
        case .bytes(let bytes):
            try bytes.withUnsafeBytes {
                try use(UnsafeRawBufferPointer(rebasing: $0[Int(range.lowerBound)..<Int(range.upperBound)]))
            }
        case .pattern(let all):
            try Pattern.withPiece(all.lowerBound + range.lowerBound..<all.lowerBound + range.upperBound, use)
        case .generated(_, let make):
            try make(range.lowerBound..<min(range.upperBound, range.lowerBound + 262_144)).withUnsafeBytes(use)
        }
    }
}
