/// A set of the 32 blocks of one segment.
struct BlockSet: Equatable, Sendable {
    private(set) var bits: UInt32

    static let none = BlockSet(bits: 0)

    private init(bits: UInt32) { self.bits = bits }

    /// The blocks that `bytes` touches; offsets count from the start of the segment.
    init(touchedBy bytes: Range<Int64>) {
        let first = Int(bytes.lowerBound / SegmentLayout.block)
        let end = Int(SegmentLayout.blockCeiling(bytes.upperBound) / SegmentLayout.block)
        bits = end - first >= 32 ? .max : ((1 << UInt32(end - first)) - 1) << UInt32(first)
    }

    var isEmpty: Bool { bits == 0 }
    var count: Int { bits.nonzeroBitCount }

    func isSuperset(of other: BlockSet) -> Bool { bits & other.bits == other.bits }
    func union(_ other: BlockSet) -> BlockSet { BlockSet(bits: bits | other.bits) }
    func subtracting(_ other: BlockSet) -> BlockSet { BlockSet(bits: bits & ~other.bits) }

    /// The first block at or after `block` that is in the set; nil if there is none.
    func first(from block: Int) -> Int? {
        let rest = bits >> UInt32(block)
        return rest == 0 ? nil : block + rest.trailingZeroBitCount
    }
}
