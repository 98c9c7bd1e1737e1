/// How often the service may be asked by a user who does not pay; the list of cities counts too.
package struct RequestLimits: Hashable, Sendable {
    /// Between two requests: the service's rule is "more than 600 ms".
    package var interval = Duration.milliseconds(600)
    /// Requests a day, as the service states it for its other operations.
    package var daily = 50
    /// The longest wait for one's turn.
    package var patience = Duration.seconds(20)

    package init() {}

    /// The number of the day that a moment, in seconds since 1970, is counted to.
    package static func day(at seconds: Int64) -> Int64 { Int64(FlightDate(secondsSince1970: seconds).dayNumber) }
}
