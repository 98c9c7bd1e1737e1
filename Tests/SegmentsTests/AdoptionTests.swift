import Platform
import Testing

@testable import Segments

struct AdoptionTests {
    private struct Failure: Error {}

    private func segments(size: Int64) -> FileSegments {
        FileSegments(
            size: size, limits: SegmentLimits(memory: 64 << 20, maximumConnections: 4),
            pool: SegmentPool(limit: 64 << 20))
    }

    /// A 1-byte answer that confirms a version must never make a whole block count as here.
    @Test func partOfABlockIsNotAdopted() {
        var file = segments(size: 100_000)
        #expect(file.adopt(0..<1) == nil)
        #expect(file.adopt(1..<SegmentLayout.block) == nil)
        #expect(file.runningFetches == 0)
    }

    @Test func wholeBlocksAndTheEndOfTheFileAreAdopted() {
        var file = segments(size: 100_000)
        #expect(file.adopt(0..<SegmentLayout.block)?.range == 0..<SegmentLayout.block)
        #expect(file.adopt(SegmentLayout.block..<100_000)?.range == SegmentLayout.block..<100_000)
        var small = segments(size: 9)
        #expect(small.adopt(0..<9)?.range == 0..<9)
    }
}
