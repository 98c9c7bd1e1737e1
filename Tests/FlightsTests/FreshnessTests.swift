import Flights
import Testing

@Suite struct FreshnessTests {
    private static let noon: Int64 = 1_766_505_600 + 12 * 3600

    private func isFresh(_ days: Int, fetched: Int64, now: Int64) -> Bool {
        let date = FlightDate(secondsSince1970: Self.noon).adding(days: days)
        return Freshness(date: date, fetched: fetched).isFresh(at: now)
    }

    @Test func todayTenMinutes() {
        #expect(isFresh(0, fetched: Self.noon, now: Self.noon))
        #expect(isFresh(0, fetched: Self.noon, now: Self.noon + 599))
        #expect(!isFresh(0, fetched: Self.noon, now: Self.noon + 600))
    }

    @Test func laterDatesSixHours() {
        #expect(isFresh(1, fetched: Self.noon, now: Self.noon + 6 * 3600 - 1))
        #expect(!isFresh(1, fetched: Self.noon, now: Self.noon + 6 * 3600))
        #expect(isFresh(400, fetched: Self.noon, now: Self.noon + 3600))
    }

    @Test func pastDatesForGood() {
        #expect(isFresh(-1, fetched: Self.noon, now: Self.noon + 100 * 86_400))
        // Fetched while the day was still to come, and over now.
        #expect(isFresh(1, fetched: Self.noon, now: Self.noon + 2 * 86_400))
    }

    /// Fetched in the evening for the day that has begun meanwhile.
    @Test func aLaterDateBecomesToday() {
        let evening = FlightDate(secondsSince1970: Self.noon).adding(days: 1).start - 300
        #expect(isFresh(1, fetched: evening, now: evening + 299))
        #expect(isFresh(1, fetched: evening, now: evening + 599))
        #expect(!isFresh(1, fetched: evening, now: evening + 600))
        let freshness = Freshness(date: FlightDate(secondsSince1970: Self.noon).adding(days: 1), fetched: evening)
        #expect(freshness.expiry(at: evening) == evening + 600)
        // What was fetched hours before expires at midnight, when ten minutes begin to count.
        let early = Freshness(date: freshness.date, fetched: evening - 3600)
        #expect(early.expiry(at: evening) == evening + 300)
    }

    @Test func anAnswerFromTheFutureDoesNotCount() {
        #expect(!isFresh(0, fetched: Self.noon + 1, now: Self.noon))
        #expect(isFresh(-1, fetched: Self.noon + 1, now: Self.noon))
    }

    @Test func citiesSevenDays() {
        let freshness = Freshness(date: nil, fetched: Self.noon)
        #expect(freshness.isFresh(at: Self.noon + 7 * 86_400 - 1) && !freshness.isFresh(at: Self.noon + 7 * 86_400))
    }
}
