import Testing

@testable import Store

struct RequestSlotsTests {
    private static let interval: Duration = .milliseconds(600)
    private static let patience: Duration = .seconds(20)

    private func take(_ slots: inout RequestSlots, now: Int64) -> Duration? {
        slots.take(now: now, interval: Self.interval, patience: Self.patience)
    }

    @Test func requestsAreKeptApart() {
        var slots = RequestSlots(nextFree: 0)
        #expect(take(&slots, now: 1_000_000) == .zero)
        #expect(take(&slots, now: 1_000_000) == .milliseconds(600))
        #expect(take(&slots, now: 1_000_100) == .milliseconds(1100))
        #expect(take(&slots, now: 1_001_799) == .milliseconds(1))
        #expect(take(&slots, now: 1_003_000) == .zero)
    }

    @Test func whoWouldWaitTooLongTakesNoTurn() {
        var slots = RequestSlots(nextFree: 0)
        var waits: [Duration] = []
        while let wait = take(&slots, now: 1_000_000) { waits.append(wait) }
        #expect(waits == (0...33).map { .milliseconds(600 * $0) })
        #expect(take(&slots, now: 1_000_399) == nil)
        #expect(take(&slots, now: 1_000_400) == .seconds(20))
    }

    @Test func aClockThatWasSetBackBlocksNobody() {
        var slots = RequestSlots(nextFree: 0)
        #expect(take(&slots, now: 9_000_000_000) == .zero)
        #expect(take(&slots, now: 1_000_000) == .zero)
        #expect(take(&slots, now: 1_000_000) == .milliseconds(600))
    }

    @Test func absurdNumbersAreSurvived() {
        for number in [.min, -1, .max] as [Int64] {
            var slots = RequestSlots(nextFree: number)
            #expect(take(&slots, now: 5) == .zero)
        }
        var slots = RequestSlots(nextFree: 0)
        #expect(take(&slots, now: .max) == .zero)
    }
}
