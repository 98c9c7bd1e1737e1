import Platform
import SeededRandom
import Testing

@testable import Segments

/// Files without ranges, and files of unknown size.
struct StreamSegmentsTests {
    @Test func oneFetchServesAllReadersAsItGetsThere() {
        var file = StreamFixture(size: 3 * mib)
        let far = file.read(2 * mib, 100 * kib)
        let near = file.read(0, 64 * kib)
        #expect(file.starts == 1)
        file.send(64 * kib)
        #expect(file.isAnswered(near.waiting, 0, 64 * kib))
        file.send(2 * mib)
        #expect(file.answers[far.waiting!] == nil)
        file.send(2 * mib)
        #expect(file.isAnswered(far.waiting, 2 * mib, 100 * kib))
        #expect(file.running == nil)
        #expect(file.read(mib, 1000).bytes == file.expected(mib, 1000))
        #expect(file.starts == 1)
        #expect(file.reserved == file.segments.capacity)
        #expect(file.inFlight == 0)
    }

    @Test(arguments: [0, 1, 32 * 1024, 100_000, 1024 * 1024, 3_000_001] as [Int64])
    func endOfAFileOfUnknownSizeIsTheEndOfTheTransfer(size: Int64) {
        var file = StreamFixture(size: size, isKnown: false)
        #expect(file.segments.size == nil)
        let crossing = file.read(max(0, size - 10), 4096)
        let beyond = file.read(size + 5 * mib, 4096)
        while file.running != nil { file.send(70_000) }
        #expect(file.segments.size == size)
        #expect(file.isAnswered(crossing.waiting, max(0, size - 10), 4096))
        #expect(file.isAnswered(beyond.waiting, size + 5 * mib, 4096))
        #expect(file.read(size, 10).bytes == Bytes([]))
        #expect(file.segments.presentBytes == size)
        #expect(file.reserved == file.segments.capacity)
        #expect(file.inFlight == 0)
        #expect(file.starts == 1)
    }

    @Test func adoptedTransferIsNotStartedAgain() throws {
        var file = StreamFixture(size: mib)
        let adopted = file.segments.adopt()
        file.actions.append(.start(try #require(adopted)))
        file.run()
        let read = file.read(0, 1000)
        #expect(file.starts == 1)
        file.send(mib)
        #expect(file.isAnswered(read.waiting, 0, 1000))
    }

    @Test func readerSlowerThanTheNetworkPausesIt() {
        var file = StreamFixture(size: 20 * mib, memory: 8 * mib)
        let first = file.read(0, 1000)
        for _ in 0..<400 { file.send(64 * kib) }
        #expect(file.isAnswered(first.waiting, 0, 1000))
        #expect(file.isPaused)
        for offset in stride(from: 0, to: 20 * mib, by: 128 * 1024) {
            let read = file.read(offset, 128 * kib)
            if read.bytes == nil {
                for _ in 0..<4 { file.send(64 * kib) }
                #expect(file.isAnswered(read.waiting, offset, 128 * kib))
            } else {
                #expect(read.bytes == file.expected(offset, 128 * kib))
            }
            file.send(64 * kib)
        }
        #expect(file.starts == 1)
        #expect(file.mostReserved <= 8 * mib)
    }

    @Test func readOfSomethingDroppedBeginsAgain() {
        var file = StreamFixture(size: 12 * mib, memory: 4 * mib)
        let last = file.read(12 * mib - 10, 10)
        while file.running != nil { file.send(256 * kib) }
        #expect(file.isAnswered(last.waiting, 12 * mib - 10, 10))
        let back = file.read(0, 1000)
        #expect(file.starts == 2)
        file.send(256 * kib)
        #expect(file.isAnswered(back.waiting, 0, 1000))
        // What is still here is not overwritten, and read as before.
        #expect(file.read(12 * mib - 10, 10).bytes == file.expected(12 * mib - 10, 10))
    }

    @Test func beginsAgainOnlyAfterTheReadsFurtherOn() {
        var file = StreamFixture(size: 12 * mib, memory: 4 * mib)
        _ = file.read(9 * mib, 10)
        while file.segments.waitingReads > 0 { file.send(256 * kib) }
        let further = file.read(11 * mib, 10)
        let back = file.read(0, 10)
        #expect(file.starts == 1)
        while file.segments.waitingReads > 1 { file.send(256 * kib) }
        #expect(file.isAnswered(further.waiting, 11 * mib, 10))
        #expect(file.starts == 2)
        file.send(256 * kib)
        #expect(file.isAnswered(back.waiting, 0, 10))
    }

    @Test func aReadThatReachesBackToSomethingDroppedBeginsAgain() {
        var file = StreamFixture(size: 12 * mib)
        _ = file.read(3 * mib, 10)
        file.send(3 * mib + 200 * kib)
        #expect(file.segments.waitingReads == 0)
        var freed: Int64 = 0
        repeat {
            freed = file.segments.evict()
            file.reserved -= freed
        } while freed > 0
        let read = file.read(3 * mib - 200 * kib, 600 * kib)
        #expect(file.starts == 2)
        file.send(5 * mib)
        #expect(file.isAnswered(read.waiting, 3 * mib - 200 * kib, 600 * kib))
    }

    @Test func failureFailsTheWaitingAndWhatDidNotCome() {
        var file = StreamFixture(size: 3 * mib)
        let read = file.read(2 * mib, 10)
        file.send(mib)
        file.cut()
        #expect(file.failed[read.waiting!] == TestFailure(code: 5))
        #expect(file.read(2 * mib, 10).failure == TestFailure(code: 5))
        #expect(file.read(1000, 10).bytes == file.expected(1000, 10))
        file.now = file.now + .milliseconds(1001)
        #expect(file.read(2 * mib, 10).waiting != nil)
        #expect(file.starts == 2)
        while file.running != nil { file.send(256 * kib) }
        #expect(file.segments.presentBytes == 3 * mib)
        #expect(file.reserved == file.segments.capacity)
        #expect(file.inFlight == 0)
    }

    @Test func closeCancelsWhatNobodyWaitsFor() {
        var file = StreamFixture(size: 3 * mib)
        let read = file.read(0, 10)
        file.segments.close(now: file.now, actions: &file.actions)
        file.run()
        #expect(file.running != nil)
        file.send(mib)
        #expect(file.isAnswered(read.waiting, 0, 10))
        file.segments.close(now: file.now, actions: &file.actions)
        file.run()
        #expect(file.running == nil)
        #expect(file.reserved == file.segments.capacity)
        #expect(file.inFlight == 0)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func randomOperationsGiveTheRightBytes(seed: UInt64) {
        var random = SplitMix(seed: seed)
        func below(_ bound: Int64) -> Int64 { Int64(random.next() % UInt64(bound)) }
        let size = 5 * mib + below(100_000)
        var file = StreamFixture(size: size, isKnown: below(2) == 0, memory: 2 * mib + below(6 * mib))
        var waiting: [ReadID: (Int64, Int64)] = [:]
        for _ in 0..<200 {
            file.now = file.now + .milliseconds(below(300))
            switch below(20) {
            case 0..<8:
                let (offset, length) = (below(size + 1000), 1 + below(below(3) == 0 ? mib : 30_000))
                let read = file.read(offset, length)
                if let bytes = read.bytes { #expect(bytes == file.expected(offset, length)) }
                if let id = read.waiting { waiting[id] = (offset, length) }
            case 8..<17: file.send(1 + below(below(2) == 0 ? mib : 50_000))
            case 17: if below(4) == 0 { file.cut() }
            case 18:
                if let id = waiting.keys.min(by: { $0.rawValue < $1.rawValue }) {
                    file.segments.abandon(id, now: file.now, actions: &file.actions)
                    waiting[id] = nil
                    file.run()
                }
            default: file.reserved -= file.segments.evict()
            }
            for (id, (offset, length)) in waiting {
                if file.answers[id] != nil || file.ends.contains(id) {
                    #expect(file.isAnswered(id, offset, length))
                    waiting[id] = nil
                } else if file.failed[id] != nil {
                    waiting[id] = nil
                }
            }
            #expect(file.segments.waitingReads == waiting.count)
        }
        var rounds = 0
        while file.segments.waitingReads > 0, rounds < 1000 {
            file.send(512 * kib)
            rounds += 1
        }
        #expect(file.segments.waitingReads == 0)
        file.segments.removeAll(actions: &file.actions)
        file.run()
        #expect(file.reserved == 0)
        #expect(file.inFlight == 0)
    }
}
