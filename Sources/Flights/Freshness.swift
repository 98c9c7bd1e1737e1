/// How long an answer counts, by when it was fetched. Moments are seconds since 1970.
package struct Freshness: Hashable, Sendable {
    /// Flights of today can still be cancelled or added.
    package static let today: Int64 = 10 * 60
    package static let later: Int64 = 6 * 3600
    package static let cities: Int64 = 7 * 86_400

    /// The day the answer is about; nil for the list of cities.
    package var date: FlightDate?
    package var fetched: Int64

    package init(date: FlightDate?, fetched: Int64) {
        self.date = date
        self.fetched = fetched
    }

    /// Whether the answer still counts. One from the future, after the clock was set back, does not; flights of a day that
    /// is over do for good.
    package func isFresh(at now: Int64) -> Bool {
        guard let expiry = expiry(at: now) else { return true }
        return fetched <= now && now < expiry
    }

    /// When it stops to count, as seen at a moment; nil for never.
    package func expiry(at now: Int64) -> Int64? {
        guard let date else { return fetched + Self.cities }
        let day = FlightDate(secondsSince1970: now)
        if date < day { return nil }
        return date == day ? fetched + Self.today : min(fetched + Self.later, max(date.start, fetched + Self.today))
    }
}
