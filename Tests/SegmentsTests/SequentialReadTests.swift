import Platform
import Testing

@testable import Segments

/// Windows of sequential readers: growth, seeks, several readers.
struct SequentialReadTests {
    /// Reads 128 KiB at a time; everything on the way arrives before the next read if `isFast`.
    private func readSequentially(
        _ file: inout SegmentsFixture, _ range: Range<Int64>, isFast: Bool = true
    ) {
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 128 * 1024) {
            file.now = file.now + .milliseconds(5)
            let outcome = file.read(offset, 128 * kib)
            if isFast { file.deliverAll() }
            if case .waiting(let id) = outcome {
                while file.answers[id] == nil, let fetch = file.running.first { file.deliver(fetch.id, 256 * kib) }
            }
        }
    }

    @Test func aReaderThatNeverWaitsKeepsTheFirstWindow() {
        var file = SegmentsFixture(size: 100 * mib)
        readSequentially(&file, 0..<10 * mib)
        #expect(file.segments.presentBytes <= 12 * mib)
        #expect(file.segments.pattern.streams.map(\.window) == [mib])
    }

    @Test func aReaderThatWaitsGetsALargerWindow() {
        var file = SegmentsFixture(size: 100 * mib)
        readSequentially(&file, 0..<10 * mib, isFast: false)
        #expect(file.segments.pattern.streams[0].window >= 8 * mib)
    }

    @Test func windowNeverExceedsHalfOfTheMemory() {
        var file = SegmentsFixture(size: 100 * mib, memory: 8 * mib)
        readSequentially(&file, 0..<40 * mib, isFast: false)
        #expect(file.segments.pattern.streams[0].window == 4 * mib)
    }

    @Test func readsPastWhatIsOnTheWayWaitForTheOneConnection() {
        var file = SegmentsFixture(size: 100 * mib, connections: 1)
        file.read(0, 128 * kib)
        file.deliverAll()
        for step in 1..<20 as Range<Int64> { file.read(step * 128 * kib, 128 * kib) }
        #expect(file.running.map(\.range) == [128 * kib..<mib])
        file.deliver(file.running[0].id)
        #expect(file.running.count == 1)
        #expect(file.running[0].range.lowerBound == mib)
        #expect(file.running[0].range.upperBound >= 20 * 128 * kib)
        file.deliverAll()
        #expect(file.segments.waitingReads == 0)
    }

    @Test func seekInsideWhatIsOnTheWayIsServedFromIt() {
        var file = SegmentsFixture(size: 100 * mib)
        readSequentially(&file, 0..<10 * mib, isFast: false)
        let frontier = file.segments.pattern.streams[0].frontier
        let started = file.running.count
        guard case .waiting(let id) = file.read(frontier - 128 * kib, 64 * kib) else {
            Issue.record("expected to wait")
            return
        }
        #expect(file.cancelled.isEmpty)
        #expect(file.running.prefix(started).allSatisfy { $0.range.upperBound <= frontier })
        file.deliverAll()
        #expect(file.answers[id] == file.expected(frontier - 128 * kib, 64 * kib))
    }

    @Test func anotherSeekCancelsThePrefetchButKeepsWhatIsHere() {
        var file = SegmentsFixture(size: 200 * mib)
        readSequentially(&file, 0..<10 * mib, isFast: false)
        let old = file.running
        #expect(!old.isEmpty)
        file.read(150 * mib, 128 * kib)
        #expect(file.cancelled.isEmpty)
        file.read(150 * mib + 128 * kib, 128 * kib)
        #expect(Set(file.cancelled) == Set(old.map(\.id)))
        let present = file.segments.presentBytes
        #expect(present >= 10 * mib)
        file.deliverAll()
        #expect(file.isHit(file.read(9 * mib, 128 * kib), 9 * mib, 128 * kib))
    }

    @Test func manyRandomReadsCancelThePrefetchOfAReaderThatLeft() {
        var file = SegmentsFixture(size: 400 * mib)
        readSequentially(&file, 0..<10 * mib, isFast: false)
        let old = file.running
        for place in 1...9 as ClosedRange<Int64> { file.read(place * 40 * mib, 4 * kib) }
        #expect(Set(file.cancelled) == Set(old.map(\.id)))
    }

    @Test func interleavedReadersKeepTheirWindows() {
        var file = SegmentsFixture(size: 200 * mib)
        for step in 0..<60 as Range<Int64> {
            for start in [0, 100 * mib] {
                file.now = file.now + .milliseconds(5)
                let offset = start + step * 128 * kib
                if case .waiting(let id) = file.read(offset, 128 * kib) {
                    while file.answers[id] == nil, let fetch = file.running.first(where: { $0.range.contains(offset) })
                    {
                        file.deliver(fetch.id, 256 * kib)
                    }
                }
            }
        }
        #expect(file.cancelled.isEmpty)
        #expect(file.segments.pattern.streams.count { $0.window > mib } == 2)
    }

    @Test func overloadGoesBackToOneConnection() {
        var file = SegmentsFixture(size: 200 * mib)
        file.segments.learnedConnections = 7
        readSequentially(&file, 0..<4 * mib, isFast: false)
        #expect(file.running.count > 1)
        let fetch = file.running[file.running.count - 1]
        file.running.removeAll { $0.id == fetch.id }
        file.segments.end(
            fetch.id, failure: TestFailure(code: 11), isOverload: true, now: file.now, actions: &file.actions)
        file.run()
        #expect(file.segments.learnedConnections == 1)
        // Nobody waited for it: the failure is not remembered.
        guard case .waiting = file.read(fetch.range.lowerBound, 4 * kib) else {
            Issue.record("expected a new try")
            return
        }
    }

    @Test func deferredReadsAreStartedWhenTheirReaderIsForgotten() {
        var file = SegmentsFixture(size: 100 * mib, connections: 1)
        file.read(0, 128 * kib)
        file.deliverAll()
        for step in 1..<12 as Range<Int64> { file.read(step * 128 * kib, 128 * kib) }
        file.close()
        file.deliverAll()
        #expect(file.segments.waitingReads == 0)
    }
}
