/// How long to wait before the next try: doubles from `first` to `limit`, with "equal jitter" (half fixed, half random)
/// so that many clients of one server do not come back at the same moment.
package struct Backoff: Sendable {
    package var first: Duration
    package var limit: Duration

    package init(first: Duration, limit: Duration) {
        self.first = first
        self.limit = limit
    }

    /// - Parameters:
    ///   - attempt: 0 for the pause after the first failure.
    ///   - random: a number in 0 ..< 1; the caller's, so that the logic stays repeatable.
    package func delay(attempt: Int, random: Double) -> Duration {
        let doubled = first.wholeNanoseconds.multipliedReportingOverflow(by: 1 << Int64(min(attempt, 30)))
        let full = min(doubled.overflow ? .max : doubled.partialValue, limit.wholeNanoseconds)
        return .nanoseconds(full / 2 + Int64(Double(full / 2) * random))
    }
}
