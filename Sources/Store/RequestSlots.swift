import Platform

/// Keeps requests apart: each is given the next free time.
struct RequestSlots: Hashable, Sendable {
    /// The earliest time of the next request, in milliseconds since 1970.
    private(set) var nextFree: Int64

    init(nextFree: Int64) { self.nextFree = nextFree }

    /// Takes the next free time.
    /// - Parameters:
    ///   - now: in milliseconds since 1970.
    ///   - interval: between two requests.
    ///   - patience: how far ahead a time may be taken.
    /// - Returns: how long from now it is; nil if that were more than `patience`.
    mutating func take(now: Int64, interval: Duration, patience: Duration) -> Duration? {
        let interval = interval.wholeNanoseconds / 1_000_000
        let patience = patience.wholeNanoseconds / 1_000_000
        // No request can have been promised a later time than this: the clock was set back meanwhile.
        let isPlausible = nextFree <= now.addingSaturating(patience).addingSaturating(interval)
        let start = isPlausible ? max(now, nextFree) : now
        guard start - now <= patience else { return nil }
        nextFree = start.addingSaturating(interval)
        return .milliseconds(start - now)
    }
}

extension Int64 {
    fileprivate func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
