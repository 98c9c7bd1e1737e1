import Platform
import SeededRandom
import Testing

@testable import Segments

/// Random reads, cuts, failures, refusals and evictions against the bytes of the file.
struct RandomOperationsTests {
    /// A file, its readers, and what the model knows of it.
    private struct Model {
        var file: SegmentsFixture
        var random: SplitMix
        let size: Int64
        /// What each waiting read must get.
        var waiting: [ReadID: Range<Int64>] = [:]
        /// Sequential readers' places.
        var cursors: [Int64] = [0, 1_300_000, 2_500_000]
        var started: [Fetch] = []

        init(seed: UInt64) {
            random = SplitMix(seed: seed)
            size = 3 * mib + Int64(random.next() % 200_000)
            file = SegmentsFixture(size: size)
        }

        mutating func below(_ bound: Int64) -> Int64 { Int64(random.next() % UInt64(bound)) }

        mutating func read() {
            var offset = below(size + 5000)
            var length = 1 + below(below(4) == 0 ? mib : 20_000)
            if below(3) > 0 {
                let reader = Int(below(3))
                length = 64 * kib
                offset = cursors[reader]
                cursors[reader] = offset + length >= size ? 0 : offset + length
            }
            switch file.read(offset, length) {
            case .bytes(let bytes): #expect(bytes == file.expected(offset, length))
            case .endOfFile: #expect(offset >= size)
            case .waiting(let id): waiting[id] = offset..<min(size, offset + length)
            case .failed(let failure): #expect(failure == TestFailure(code: 5))
            }
        }

        mutating func step() {
            file.now = file.now + .milliseconds(below(100))
            let known = Set(file.running.map(\.id) + file.held.map(\.id))
            switch below(20) {
            case 0..<9: read()
            case 9..<14: deliver()
            case 14: end(failure: nil)
            case 15: end(failure: TestFailure(code: 5))
            case 16: if let id = waiting.keys.min(by: { $0.rawValue < $1.rawValue }) { abandon(id) }
            case 17: for _ in 0...below(4) { _ = file.evict() }
            case 18:
                file.refusesPrefetch = below(3) == 0
                file.holdsStarts = below(3) == 0
                if below(10) == 0 { file.close() }
            default: settleHeld()
            }
            checkStarts(known)
            checkAnswers()
        }

        private mutating func deliver() {
            guard !file.running.isEmpty else { return }
            let fetch = file.running[Int(below(Int64(file.running.count)))]
            file.deliver(fetch.id, 1 + below(below(3) == 0 ? mib : 60_000))
        }

        private mutating func end(failure: TestFailure?) {
            guard !file.running.isEmpty else { return }
            let fetch = file.running[Int(below(Int64(file.running.count)))]
            file.finish(fetch.id, failure: failure)
        }

        private mutating func abandon(_ id: ReadID) {
            waiting[id] = nil
            file.abandon(id)
            #expect(file.answers[id] == nil && file.failed[id] == nil)
        }

        private mutating func settleHeld() {
            guard !file.held.isEmpty else { return }
            let index = Int(below(Int64(file.held.count)))
            if !file.held[index].isDemand, below(2) == 0 {
                let fetch = file.held.remove(at: index)
                file.segments.refuse(fetch.id, now: file.now, actions: &file.actions)
                file.run()
            } else {
                file.beginHeld(at: index)
            }
        }

        /// Nothing that is on the way is asked for twice.
        private mutating func checkStarts(_ known: Set<FetchID>) {
            let live = (file.running + file.held).filter { file.segments.nextOffset(of: $0.id) != nil }
            for fetch in live where !known.contains(fetch.id) {
                #expect(fetch.range.lowerBound % SegmentLayout.block == 0)
                #expect(fetch.range.upperBound % SegmentLayout.block == 0 || fetch.range.upperBound == size)
                #expect(fetch.range.upperBound <= size && !fetch.range.isEmpty)
            }
            let rests = live.map { (file.segments.nextOffset(of: $0.id) ?? 0)..<$0.range.upperBound }
                .sorted { $0.lowerBound < $1.lowerBound }
            for (left, right) in zip(rests, rests.dropFirst()) { #expect(left.upperBound <= right.lowerBound) }
            for rest in rests where !rest.isEmpty {
                let block = SegmentLayout.blockFloor(rest.lowerBound)
                #expect(!file.segments.table.isPresent(block..<min(size, block + SegmentLayout.block)))
            }
        }

        private mutating func checkAnswers() {
            for (id, range) in waiting {
                if let bytes = file.answers[id] {
                    #expect(bytes == file.expected(range.lowerBound, Int64(range.count)))
                    waiting[id] = nil
                } else if let failure = file.failed[id] {
                    #expect(failure == TestFailure(code: 5))
                    waiting[id] = nil
                }
            }
            #expect(file.segments.waitingReads == waiting.count)
        }

        /// Everything is delivered: no read waits on, and the accounts agree.
        mutating func finish() {
            file.holdsStarts = false
            while file.running.count + file.held.count > 0 {
                while !file.held.isEmpty { file.beginHeld(at: 0) }
                file.deliverAll()
            }
            checkAnswers()
            #expect(waiting.isEmpty)
            #expect(file.segments.runningFetches == 0)
            #expect(file.reserved == file.segments.capacity)
            let blocks = stride(from: 0, to: size, by: Int(SegmentLayout.block))
                .map { $0..<min(size, $0 + SegmentLayout.block) }
            let present = blocks.filter { file.segments.table.isPresent($0) }
            #expect(file.segments.presentBytes == present.reduce(0) { $0 + Int64($1.count) })
            file.segments.removeAll(actions: &file.actions)
            file.run()
            #expect(file.reserved == 0)
            #expect(file.segments.presentBytes == 0)
        }
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func bytesAreRightAndEachReadIsAnsweredOnce(seed: UInt64) {
        var model = Model(seed: seed)
        for _ in 0..<400 { model.step() }
        model.finish()
    }
}
