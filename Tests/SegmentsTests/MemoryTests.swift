import Platform
import Testing

@testable import Segments

/// Buffers, reservations and eviction of one file.
struct MemoryTests {
    @Test func smallFetchTakesSmallMemory() {
        var file = SegmentsFixture(size: 20 * mib)
        file.read(0, 4 * kib)
        #expect(file.reserved == 128 * kib)
        file.deliverAll()
        #expect(file.segments.capacity == 128 * kib)
        #expect(file.reserved == 128 * kib)
    }

    @Test func bufferGrowsToTheWholeSegmentAndOldSlicesStay() {
        var file = SegmentsFixture(size: 20 * mib)
        file.read(0, 4 * kib)
        file.deliverAll()
        let outcome = file.segments.read(
            ReadID(rawValue: 77), offset: 0, length: 1000, now: file.now, actions: &file.actions)
        guard case .ready(let slice, nil) = outcome else { Issue.record("expected a hit"); return }
        file.read(500 * kib, 4 * kib)
        #expect(file.reserved == mib)
        file.deliverAll()
        #expect(file.segments.capacity == mib)
        #expect(file.reserved == mib)
        #expect(Bytes(slice.bytes) == file.expected(0, 1000))
        #expect(file.isHit(file.read(0, 1000), 0, 1000))
        #expect(file.isHit(file.read(500 * kib, 1000), 500 * kib, 1000))
    }

    @Test func fetchesThatShareASegmentGiveBackWhatTheOtherBrought() {
        var file = SegmentsFixture(size: 20 * mib)
        file.read(5 * mib, 4 * kib)
        file.read(5 * mib + 512 * kib, 4 * kib)
        #expect(file.reserved == 32 * kib + mib)
        file.deliver(file.running[1].id)
        file.deliver(file.running[0].id)
        #expect(file.reserved == mib)
        #expect(file.segments.capacity == mib)
        #expect(file.isHit(file.read(5 * mib, 4 * kib), 5 * mib, 4 * kib))
        #expect(file.isHit(file.read(5 * mib + 512 * kib, 4 * kib), 5 * mib + 512 * kib, 4 * kib))
    }

    @Test func evictsLeastRecentlyUsedFirstAndNeverWhatIsWaitedFor() {
        var file = SegmentsFixture(size: 100 * mib)
        for place in [10, 50, 90] as [Int64] {
            file.now = file.now + .seconds(1)
            file.read(place * mib, 4 * kib)
            file.deliverAll()
        }
        file.now = file.now + .seconds(1)
        file.read(10 * mib, 4 * kib)
        file.read(50 * mib + 512 * kib, 4 * kib)  // on the way: its segment is kept
        let coldest = file.evict()
        #expect(coldest == 32 * kib)
        #expect(file.isHit(file.read(50 * mib, 4 * kib), 50 * mib, 4 * kib))
        let next = file.evict()
        #expect(next == 32 * kib)
        #expect(file.segments.oldestUse == nil)
        let none = file.evict()
        #expect(none == 0)
        file.deliverAll()
        #expect(file.segments.presentBytes == 64 * kib)
        #expect(file.reserved == file.segments.capacity)
    }

    @Test func segmentOfAWaitingReadStaysWhenItsOwnBytesAreIn() {
        var file = SegmentsFixture(size: 20 * mib)
        file.read(6 * mib, 4 * kib)
        guard case .waiting(let id) = file.read(6 * mib - 64 * kib, 256 * kib) else {
            Issue.record("expected to wait")
            return
        }
        for fetch in file.running where fetch.range.lowerBound < 6 * mib {
            file.deliver(fetch.id, 6 * mib - fetch.range.lowerBound)
        }
        while file.evict() > 0 {}
        file.deliverAll()
        #expect(file.answers[id] == file.expected(6 * mib - 64 * kib, 256 * kib))
    }

    @Test func aSegmentLostFromTheWindowIsFetchedAheadAgain() {
        var file = SegmentsFixture(size: 100 * mib)
        for offset in stride(from: 0, to: 3 * mib, by: 128 * 1024) {
            file.now = file.now + .milliseconds(10)
            file.read(offset, 128 * kib)
            file.deliverAll()
        }
        while file.evict() > 0 {}
        #expect(file.segments.presentBytes == 0)
        file.read(3 * mib, 128 * kib)
        #expect(file.running.first?.range.lowerBound == 3 * mib)
        #expect(file.running.map(\.range.upperBound).max() ?? 0 >= 4 * mib)
        #expect(zip(file.running, file.running.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound })
    }

    @Test func segmentsBehindASequentialReaderGoFirst() {
        var file = SegmentsFixture(size: 100 * mib)
        file.read(90 * mib, 4 * kib)
        file.deliverAll()
        for offset in stride(from: 0, to: 6 * mib, by: 128 * 1024) {
            file.now = file.now + .milliseconds(10)
            file.read(offset, 128 * kib)
            file.deliverAll()
        }
        let before = file.segments.presentBytes
        var freed: Int64 = 0
        for _ in 0..<3 { freed += file.evict() }
        #expect(freed >= 2 * mib)
        #expect(before - file.segments.presentBytes >= 2 * mib)
        #expect(file.isHit(file.read(90 * mib, 4 * kib), 90 * mib, 4 * kib))
        #expect(file.isHit(file.read(5 * mib, 4 * kib), 5 * mib, 4 * kib))
    }

    @Test func buffersAreUsedAgainOnlyAfterTheirSlices() {
        let pool = SegmentPool(limit: 4 * mib)
        var buffer: SegmentBuffer? = SegmentBuffer(range: 0..<mib, pool: pool)
        let bytes: [UInt8] = [1, 2, 3, 4]
        buffer?.write(bytes.span.bytes, count: 4, at: 10)
        let slice = buffer?.slice(10..<14)
        buffer = nil
        #expect(pool.idleBytes == 0)
        #expect(slice?.bytes == bytes)
        _ = consume slice
        #expect(pool.idleBytes == mib)
        buffer = SegmentBuffer(range: mib..<2 * mib, pool: pool)
        #expect(pool.idleBytes == 0)
        buffer = nil
    }

    @Test func poolKeepsNoMoreThanItsLimit() {
        let pool = SegmentPool(limit: 2 * mib)
        var buffers = (0..<4).map { SegmentBuffer(range: $0 * mib..<($0 + 1) * mib, pool: pool) }
        buffers.removeAll()
        #expect(pool.idleBytes == 2 * mib)
        buffers = []
    }

    @Test func refusedPrefetchShrinksTheWindowAndDemandGoesOn() {
        var file = SegmentsFixture(size: 100 * mib)
        file.refusesPrefetch = true
        for offset in stride(from: 0, to: 8 * mib, by: 128 * 1024) {
            file.now = file.now + .milliseconds(10)
            let outcome = file.read(offset, 128 * kib)
            #expect(file.running.allSatisfy { $0.isDemand })
            file.deliverAll()
            if case .waiting(let id) = outcome { #expect(file.answers[id] == file.expected(offset, 128 * kib)) }
        }
        #expect(file.segments.waitingReads == 0)
    }
}
