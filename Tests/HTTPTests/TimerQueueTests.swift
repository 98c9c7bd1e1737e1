import Platform
import SeededRandom
import Testing

@testable import HTTP

struct TimerQueueTests {
    @Test func jobsComeInTheOrderTheyAreDue() {
        var random = SplitMix(seed: 3)
        var timers = TimerQueue()
        let fired = Lock<[Int64]>([])
        let dues = (0..<500).map { _ in Int64.random(in: 0..<1000, using: &random) }
        for (number, due) in dues.enumerated() {
            timers.add(TimerID(rawValue: UInt64(number)), due: Instant(nanoseconds: due)) {
                fired.withLock { $0.append(due) }
            }
        }
        var removed = Set<Int>()
        for _ in 0..<400 {
            let number = Int.random(in: 0..<500, using: &random)
            removed.insert(number)
            timers.remove(TimerID(rawValue: UInt64(number)))
        }
        let left = dues.enumerated().filter { !removed.contains($0.offset) }.map(\.element).sorted()
        for now in stride(from: Int64(-1), through: 1000, by: 7) {
            while let job = timers.next(now: Instant(nanoseconds: now)) { job() }
            #expect(fired.withLock { $0 } == left.filter { $0 <= now })
        }
        #expect(timers.nextDue == nil)
    }

    @Test func removedTimersDoNotPileUp() {
        var timers = TimerQueue()
        timers.add(TimerID(rawValue: 0), due: Instant(nanoseconds: 5)) {}
        for number in 1...100_000 {
            timers.add(TimerID(rawValue: UInt64(number)), due: Instant(nanoseconds: 100)) {}
            timers.remove(TimerID(rawValue: UInt64(number)))
        }
        #expect(timers.count <= 128)
        #expect(timers.nextDue == Instant(nanoseconds: 5))
    }
}
