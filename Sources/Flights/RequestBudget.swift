/// When a request to the service may go out: not too soon after the last one, not too many a day. The value is shared by
/// all processes of the user: read, decided on and written back in one transaction of the store.
package struct RequestBudget: Hashable, Sendable {
    /// The service's rule for those who do not pay, in milliseconds.
    package static let interval: Int64 = 600
    package static let usualLimit = 50

    package enum Decision: Hashable, Sendable {
        /// It may go out now, and is counted.
        case send
        /// Ask again in so many milliseconds.
        case wait(Int64)
        /// Not before the next day of the service begins, at this second since 1970.
        case exhausted(until: Int64)
    }

    /// When the last request went out, in milliseconds since 1970; 0 for never.
    package var last: Int64
    /// The day `count` is about.
    package var day: FlightDate
    package var count: Int

    package init(last: Int64 = 0, day: FlightDate = FlightDate(dayNumber: 0), count: Int = 0) {
        self.last = last
        self.day = day
        self.count = count
    }

    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - limit: requests a day.
    package mutating func decide(now: Int64, limit: Int) -> Decision {
        let today = FlightDate(secondsSince1970: now / 1000)
        if day != today { (day, count) = (today, 0) }
        guard count < limit else { return .exhausted(until: today.adding(days: 1).start) }
        let passed = now - last
        // A last request in the future was written before the clock was set back.
        if last != 0, 0..<Self.interval ~= passed { return .wait(Self.interval - passed) }
        last = now
        count += 1
        return .send
    }
}
