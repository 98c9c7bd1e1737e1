import Testing

@testable import Platform

struct BackoffTests {
    private let backoff = Backoff(first: .seconds(1), limit: .seconds(60))

    @Test func doublesUpToTheLimit() {
        #expect(backoff.delay(attempt: 0, random: 0) == .milliseconds(500))
        #expect(backoff.delay(attempt: 1, random: 0) == .seconds(1))
        #expect(backoff.delay(attempt: 5, random: 0) == .seconds(16))
        #expect(backoff.delay(attempt: 6, random: 0) == .seconds(30))
        #expect(backoff.delay(attempt: 1000, random: 0) == .seconds(30))
    }

    @Test func jitterNeverExceedsTheFullPause() {
        #expect(backoff.delay(attempt: 2, random: 0.999) < .seconds(4))
        #expect(backoff.delay(attempt: 2, random: 0.999) > .milliseconds(3900))
    }
}
