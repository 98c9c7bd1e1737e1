/// A run of bytes cut at segment boundaries, in order.
struct SegmentParts: Sequence, IteratorProtocol {
    struct Part {
        var number: Int64
        var bytes: Range<Int64>
        /// The blocks touched.
        var blocks: BlockSet
    }

    private var rest: Range<Int64>

    init(of range: Range<Int64>) { rest = range }

    mutating func next() -> Part? {
        guard !rest.isEmpty else { return nil }
        let number = SegmentLayout.segmentNumber(rest.lowerBound)
        let base = number * SegmentLayout.segment
        let end = Swift.min(rest.upperBound, base + SegmentLayout.segment)
        let bytes = rest.lowerBound..<end
        rest = end..<rest.upperBound
        return Part(
            number: number, bytes: bytes,
            blocks: BlockSet(touchedBy: (bytes.lowerBound - base)..<(bytes.upperBound - base)))
    }
}
