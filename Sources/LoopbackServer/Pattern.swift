import Glibc

/// The bytes of a test file: byte i is `i mod 251`, a prime, so that a wrong offset never looks right.
package enum Pattern {
    static let period: Int64 = 251

    /// The bytes at `range`, which may lie anywhere from 0 on.
    package static func bytes(_ range: Range<Int64>) -> [UInt8] {
        // SAFETY: every byte before `filled` is written; a piece never reaches past `range`.
        [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            while filled < range.count {
                let position = range.lowerBound + Int64(filled)
                filled += withPiece(position..<range.upperBound) { piece in
                    UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                        .copyMemory(from: piece)
                    return piece.count
                }
            }
        }
    }

    /// Lends the first bytes of `range` without copying: all of it, or as much as the stored block holds.
    // SAFETY: the pointer is lent to `body` while `block` is held; `phase + length` never exceeds its count.
    static func withPiece<Result>(
        _ range: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let phase = Int(range.lowerBound % period)
        let length = min(range.count, block.count - phase)
        return try block.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[phase..<phase + length])) }
    }

    /// About 1 MiB of whole periods: long enough that the loop around it costs nothing beside the copy.
    private static let block: [UInt8] = (0..<Int(period) * 4178).map { UInt8($0 % Int(period)) }
}
