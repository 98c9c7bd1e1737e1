import Platform
import Testing

@testable import Segments

/// Reads, waiting and fetching, step by step.
struct FileSegmentsTests {
    @Test func firstReadAtTheStartFetchesTheHeadOnly() {
        var file = SegmentsFixture(size: 20 * mib)
        let outcome = file.read(0, 4 * kib)
        guard case .waiting(let id) = outcome else { Issue.record("expected to wait"); return }
        #expect(file.running.map(\.range) == [0..<128 * kib])
        #expect(file.running.allSatisfy { $0.isDemand })
        file.deliverAll()
        #expect(file.answers[id] == file.expected(0, 4 * kib))
        #expect(file.segments.presentBytes == 128 * kib)
        #expect(file.segments.runningFetches == 0)
    }

    @Test func readIsAnsweredAsSoonAsItsBlockIsIn() {
        var file = SegmentsFixture(size: 20 * mib)
        guard case .waiting(let id) = file.read(0, 4 * kib) else { Issue.record("expected to wait"); return }
        file.deliver(file.running[0].id, 32 * kib - 1)
        #expect(file.answers[id] == nil)
        file.deliver(file.running[0].id, 1)
        #expect(file.answers[id] == file.expected(0, 4 * kib))
        #expect(file.running.count == 1)
    }

    @Test func hitIsAnsweredAtOnceWithoutAction() {
        var file = SegmentsFixture(size: 20 * mib)
        file.read(0, 4 * kib)
        file.deliverAll()
        #expect(file.isHit(file.read(5000, 10_000), 5000, 10_000))
        #expect(file.running.isEmpty)
    }

    @Test func readAcrossTwoSegmentsGivesTwoSlices() {
        var file = SegmentsFixture(size: 4 * mib)
        guard case .waiting(let id) = file.read(mib - 1000, 100_000) else { Issue.record("expected to wait"); return }
        file.deliverAll()
        #expect(file.answers[id] == file.expected(mib - 1000, 100_000))
        let outcome = file.segments.read(
            ReadID(rawValue: 99), offset: mib - 10, length: 20, now: file.now, actions: &file.actions)
        guard case .ready(let first, let second) = outcome else { Issue.record("expected a hit"); return }
        #expect(first.count == 10)
        #expect(second?.count == 10)
    }

    @Test func readsAtAndPastTheEnd() {
        var file = SegmentsFixture(size: 100_000)
        #expect(file.read(100_000, 10) == .endOfFile)
        #expect(file.read(Int64.max - 5, 10) == .endOfFile)
        guard case .waiting(let id) = file.read(99_990, 4096) else { Issue.record("expected to wait"); return }
        #expect(file.running.map(\.range) == [98_304..<100_000])
        file.deliverAll()
        #expect(file.answers[id] == file.expected(99_990, 10))
        #expect(file.read(0, 0) == .endOfFile)
    }

    @Test func secondContiguousReadOpensTheWindow() {
        var file = SegmentsFixture(size: 20 * mib)
        file.read(0, 128 * kib)
        file.deliverAll()
        file.read(128 * kib, 128 * kib)
        #expect(file.running.map(\.range) == [128 * kib..<mib])
    }

    @Test func twoSmallReadsInsideTheHeadFetchNothingMore() {
        var file = SegmentsFixture(size: 20 * mib)
        file.read(0, 16 * kib)
        file.deliverAll()
        #expect(file.isHit(file.read(16 * kib, 32 * kib), 16 * kib, 32 * kib))
        #expect(file.running.isEmpty)
        // More than half of the head is read: now the window opens.
        #expect(file.isHit(file.read(48 * kib, 32 * kib), 48 * kib, 32 * kib))
        #expect(file.running.map(\.range) == [128 * kib..<mib])
        #expect(file.running.allSatisfy { !$0.isDemand })
    }

    @Test func randomReadsFetchTheirBlocksOnly() {
        var file = SegmentsFixture(size: 1024 * mib)
        for place in [700, 3, 511, 90, 820, 302] as [Int64] {
            file.read(place * mib + 5 * kib, 4 * kib)
            #expect(file.running.map(\.range) == [place * mib..<place * mib + 32 * kib])
            file.deliverAll()
        }
    }

    @Test func onlyMissingRunsAreFetched() {
        var file = SegmentsFixture(size: 20 * mib)
        file.read(5 * mib + 64 * kib, 32 * kib)
        file.deliverAll()
        file.read(5 * mib + 128 * kib, 1)
        #expect(file.running.map(\.range) == [5 * mib + 128 * kib..<5 * mib + 160 * kib])
        guard case .waiting(let id) = file.read(5 * mib, 256 * kib) else { Issue.record("expected to wait"); return }
        #expect(
            Set(file.running.map(\.range)) == [
                5 * mib + 128 * kib..<5 * mib + 160 * kib,
                5 * mib..<5 * mib + 64 * kib,
                5 * mib + 96 * kib..<5 * mib + 128 * kib,
                5 * mib + 160 * kib..<5 * mib + 256 * kib,
            ])
        file.deliverAll()
        #expect(file.answers[id] == file.expected(5 * mib, 256 * kib))
    }

    @Test func secondReaderOfTheSameBytesStartsNothing() {
        var file = SegmentsFixture(size: 20 * mib)
        guard case .waiting(let first) = file.read(3 * mib, 64 * kib) else { Issue.record("expected to wait"); return }
        guard case .waiting(let second) = file.read(3 * mib, 64 * kib) else { Issue.record("expected to wait"); return }
        #expect(file.running.count == 1)
        file.deliverAll()
        #expect(file.answers[first] == file.expected(3 * mib, 64 * kib))
        #expect(file.answers[second] == file.answers[first])
    }

    @Test func adoptedFetchServesReadsThatArriveMeanwhile() throws {
        var file = SegmentsFixture(size: 20 * mib)
        let adopted = file.segments.adopt(0..<128 * kib)
        let fetch = try #require(adopted)
        #expect(fetch.range == 0..<128 * kib)
        #expect(fetch.reservation == 128 * kib)
        file.actions.append(.start(fetch))
        file.run()
        guard case .waiting(let id) = file.read(0, 16 * kib) else { Issue.record("expected to wait"); return }
        #expect(file.running.count == 1)
        file.deliverAll()
        #expect(file.answers[id] == file.expected(0, 16 * kib))
    }

    @Test func adoptedFetchIsCutWhereBytesAreHere() {
        var file = SegmentsFixture(size: 50_000)
        let first = file.segments.adopt(0..<131_072)
        #expect(first?.range == 0..<50_000)
        let second = file.segments.adopt(0..<131_072)
        #expect(second == nil)
        var other = SegmentsFixture(size: 20 * mib)
        other.read(64 * kib, 32 * kib)
        let cut = other.segments.adopt(0..<128 * kib)
        #expect(cut?.range == 0..<64 * kib)
    }

    @Test func abandonedRandomReadCancelsItsFetch() {
        var file = SegmentsFixture(size: 20 * mib)
        guard case .waiting(let id) = file.read(3 * mib, 4 * kib) else { Issue.record("expected to wait"); return }
        let fetch = file.running[0].id
        file.abandon(id)
        #expect(file.cancelled == [fetch])
        #expect(file.segments.nextOffset(of: fetch) == nil)
        #expect(file.reserved == 0)
        #expect(file.segments.waitingReads == 0)
    }

    @Test func abandonKeepsAFetchThatAnotherWaitsFor() {
        var file = SegmentsFixture(size: 20 * mib)
        guard case .waiting(let first) = file.read(3 * mib, 4 * kib) else { Issue.record("expected to wait"); return }
        guard case .waiting(let second) = file.read(3 * mib, 8 * kib) else { Issue.record("expected to wait"); return }
        file.abandon(first)
        #expect(file.cancelled.isEmpty)
        file.deliverAll()
        #expect(file.answers[first] == nil)
        #expect(file.answers[second] == file.expected(3 * mib, 8 * kib))
    }

    @Test func failureReachesTheWaitingAndIsRepeatedForASecond() {
        var file = SegmentsFixture(size: 20 * mib)
        guard case .waiting(let id) = file.read(3 * mib, 64 * kib) else { Issue.record("expected to wait"); return }
        file.deliver(file.running[0].id, 33 * kib)
        file.finish(file.running[0].id, failure: TestFailure(code: 5))
        #expect(file.failed[id] == TestFailure(code: 5))
        #expect(file.read(3 * mib + 40 * kib, 100) == .failed(TestFailure(code: 5)))
        // The complete block is here all the same.
        #expect(file.isHit(file.read(3 * mib, 100), 3 * mib, 100))
        file.now = file.now + .milliseconds(1001)
        guard case .waiting = file.read(3 * mib + 40 * kib, 100) else { Issue.record("expected a new try"); return }
        #expect(file.running.map(\.range) == [3 * mib + 32 * kib..<3 * mib + 64 * kib])
    }

    @Test func fetchCutShortIsAskedForAgainFromItsFirstIncompleteBlock() {
        var file = SegmentsFixture(size: 20 * mib)
        guard case .waiting(let id) = file.read(3 * mib, 128 * kib) else { Issue.record("expected to wait"); return }
        file.deliver(file.running[0].id, 70 * kib)
        file.finish(file.running[0].id)
        #expect(file.running.map(\.range) == [3 * mib + 64 * kib..<3 * mib + 128 * kib])
        file.deliverAll()
        #expect(file.answers[id] == file.expected(3 * mib, 128 * kib))
    }

    @Test func goneVersionFailsEverything() {
        var file = SegmentsFixture(size: 20 * mib)
        file.read(0, 100)
        file.deliverAll()
        guard case .waiting(let id) = file.read(3 * mib, 64 * kib) else { Issue.record("expected to wait"); return }
        file.segments.failAll(TestFailure(code: 116), actions: &file.actions)
        file.run()
        #expect(file.failed[id] == TestFailure(code: 116))
        #expect(file.read(0, 100) == .failed(TestFailure(code: 116)))
        #expect(file.running.isEmpty)
        #expect(file.reserved == 0)
    }

    @Test func closeCancelsPrefetchAndKeepsWhatIsHere() {
        var file = SegmentsFixture(size: 20 * mib)
        file.read(0, 128 * kib)
        file.deliverAll()
        file.read(128 * kib, 128 * kib)
        file.deliver(file.running[0].id, 256 * kib)
        #expect(file.running.isEmpty == false)
        file.close()
        #expect(file.running.isEmpty)
        #expect(file.segments.presentBytes == 384 * kib)
        #expect(file.reserved == file.segments.capacity)
    }
}
