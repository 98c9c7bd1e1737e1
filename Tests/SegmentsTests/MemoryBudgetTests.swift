import Platform
import SeededRandom
import Synchronization
import Testing

@testable import Segments

struct MemoryBudgetTests {
    /// Pieces of memory with the time of their last use.
    private final class Pieces: Evictable {
        private let pieces: Lock<[(bytes: Int64, use: Instant)]>
        init(_ pieces: [(Int64, Instant)]) { self.pieces = Lock(pieces.map { (bytes: $0.0, use: $0.1) }) }
        var oldestUse: Instant? { pieces.withLock { $0.first?.use } }
        func evict() -> Int64 { pieces.withLock { $0.isEmpty ? 0 : $0.removeFirst().bytes } }
        func add(_ bytes: Int64, _ use: Instant) { pieces.withLock { $0.append((bytes: bytes, use: use)) } }
        var count: Int { pieces.withLock { $0.count } }
    }

    private final class Calls: Sendable {
        private let names = Lock<[String]>([])
        func add(_ name: String) { names.withLock { $0.append(name) } }
        var all: [String] { names.withLock { $0 } }
    }

    private func second(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000_000) }

    @Test func reservesUpToTheLimit() {
        let budget = MemoryBudget(limit: 10)
        #expect(budget.reserveForPrefetch(4, host: "a", now: second(1)))
        #expect(budget.reserveForDemand(4, host: "b") {})
        #expect(!budget.reserveForPrefetch(4, host: "c", now: second(1)))
        #expect(budget.used == 8)
        budget.settle(reserved: 4, unused: 1, host: "a")
        budget.settle(reserved: 4, unused: 4, host: "b")
        #expect(budget.used == 3)
        #expect(budget.inFlight == 0)
        budget.release(3)
        #expect(budget.used == 0)
    }

    @Test func demandEvictsTheLeastRecentlyUsedOfAllFiles() {
        let budget = MemoryBudget(limit: 10)
        let first = Pieces([(2, second(1)), (2, second(4))])
        let other = Pieces([(3, second(2)), (3, second(3))])
        budget.register(first)
        budget.register(other)
        budget.charge(10, host: "a")
        budget.settle(reserved: 10, unused: 0, host: "a")
        #expect(budget.reserveForDemand(4, host: "a") {})
        #expect(first.count == 1)
        #expect(other.count == 1)
        #expect(budget.used == 9)
    }

    @Test func prefetchEvictsOnlyWhatIsColdOrConsumed() {
        let budget = MemoryBudget(limit: 10)
        let pieces = Pieces([(5, second(0)), (5, second(99))])
        budget.register(pieces)
        budget.charge(10, host: "a")
        budget.settle(reserved: 10, unused: 0, host: "a")
        #expect(budget.reserveForPrefetch(5, host: "a", now: second(100)))
        #expect(pieces.count == 1)
        budget.settle(reserved: 5, unused: 0, host: "a")
        #expect(!budget.reserveForPrefetch(5, host: "a", now: second(100)))
        #expect(pieces.count == 1)
        #expect(budget.reserveForPrefetch(5, host: "a", now: second(105)))
        budget.unregister(pieces)
    }

    @Test func demandWaitsInOrderAndIsGrantedAsMemoryComesBack() {
        let budget = MemoryBudget(limit: 10)
        let calls = Calls()
        #expect(budget.reserveForDemand(5, host: "a") {})
        #expect(budget.reserveForDemand(5, host: "b") {})
        // One goes beyond the limit, the next ones wait.
        #expect(!budget.reserveForDemand(5, host: "c") { calls.add("c") })
        #expect(!budget.reserveForDemand(3, host: "d") { calls.add("d") })
        #expect(!budget.reserveForDemand(1, host: "e") { calls.add("e") })
        #expect(calls.all == ["c"])
        #expect(budget.queued == 2)
        #expect(!budget.reserveForPrefetch(1, host: "f", now: second(9)))
        budget.settle(reserved: 5, unused: 5, host: "a")
        #expect(calls.all == ["c", "d"])
        budget.settle(reserved: 5, unused: 5, host: "b")
        #expect(calls.all == ["c", "d", "e"])
        #expect(budget.queued == 0)
    }

    @Test func oneDemandIsAdmittedHoweverLarge() {
        let budget = MemoryBudget(limit: 10)
        let calls = Calls()
        #expect(!budget.reserveForDemand(50, host: "a") { calls.add("large") })
        #expect(calls.all == ["large"])
        #expect(!budget.reserveForDemand(50, host: "b") { calls.add("second") })
        #expect(calls.all == ["large"])
        budget.settle(reserved: 50, unused: 50, host: "a")
        #expect(calls.all == ["large", "second"])
    }

    @Test func aScanEvictsMoreThanOneSmallFile() {
        let budget = MemoryBudget(limit: 320)
        let files = (0..<20).map { Pieces([(4, second(Int64($0)))]) }
        for file in files { budget.register(file) }
        budget.charge(320, host: "a")
        budget.settle(reserved: 320, unused: 0, host: "a")
        #expect(budget.reserveForDemand(1, host: "a") {})
        #expect(files.map(\.count) == [0, 0, 0] + [Int](repeating: 1, count: 17))
        #expect(budget.used == 309)
        for file in files { budget.unregister(file) }
    }

    @Test func threadsLeaveNothingBehind() throws {
        let budget = MemoryBudget(limit: 100)
        let done = Condition(0)
        let threads = try (0..<4).map { number in
            try Thread.start(name: "budget-\(number)") {
                var random = SplitMix(seed: UInt64(number))
                let host = "host-\(number % 2)"
                for _ in 0..<500 {
                    let bytes = Int64(random.next() % 60)
                    if random.next() % 2 == 0 {
                        guard budget.reserveForPrefetch(bytes, host: host, now: Instant(nanoseconds: 0)) else {
                            continue
                        }
                    } else {
                        let isGranted = Condition(false)
                        if !budget.reserveForDemand(bytes, host: host, granted: { isGranted.update { $0 = true } }) {
                            isGranted.wait(until: { $0 }) { _ in }
                        }
                    }
                    budget.settle(reserved: bytes, unused: bytes / 2, host: host)
                    budget.release(bytes - bytes / 2)
                }
                done.update { $0 += 1 }
            }
        }
        let all: Bool? = done.wait(until: { $0 == 4 }, before: Instant.now() + .seconds(60)) { _ in true }
        #expect(all == true)
        guard all == true else { return }
        for thread in threads { thread.join() }
        #expect(budget.used == 0)
        #expect(budget.inFlight == 0)
        #expect(budget.queued == 0)
    }

    @Test func queuedDemandIsAdmittedWhenSegmentsBecomeEvictable() {
        let budget = MemoryBudget(limit: 10)
        let calls = Calls()
        let pieces = Pieces([])
        budget.register(pieces)
        #expect(budget.reserveForDemand(10, host: "a") {})
        #expect(!budget.reserveForDemand(8, host: "b") { calls.add("over") })
        #expect(!budget.reserveForDemand(8, host: "c") { calls.add("waits") })
        #expect(calls.all == ["over"])
        pieces.add(10, second(1))
        budget.settle(reserved: 10, unused: 0, host: "a")
        #expect(calls.all == ["over", "waits"])
        #expect(pieces.count == 0)
        budget.unregister(pieces)
    }

    @Test func oneHostOfSeveralHasNoMoreThanHalfInFlight() {
        let budget = MemoryBudget(limit: 100)
        let calls = Calls()
        #expect(budget.reserveForPrefetch(60, host: "stalled", now: second(1)))
        budget.settle(reserved: 20, unused: 20, host: "stalled")
        #expect(budget.reserveForPrefetch(1, host: "other", now: second(1)))
        #expect(!budget.reserveForPrefetch(20, host: "stalled", now: second(1)))
        #expect(!budget.reserveForDemand(20, host: "stalled") { calls.add("stalled") })
        #expect(calls.all == [])
        #expect(!budget.reserveForDemand(30, host: "other") { calls.add("other") })
        #expect(calls.all == ["other"])
        budget.settle(reserved: 40, unused: 0, host: "stalled")
        #expect(calls.all == ["other", "stalled"])
        #expect(budget.queued == 0)
    }
}
