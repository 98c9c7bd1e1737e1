package import Flights
package import HTTP

/// Why there is no answer to a question about flights.
package enum FlightsFailure: Error, Sendable {
    case service(FlightsError)
    case transfer(TransferError)
    /// As many requests as are allowed were made this day.
    case budgetSpent
    /// The service asked to be left alone for so long.
    case paused(Duration)
    /// So many questions wait that this one's turn would not come soon.
    case crowded
    /// The count of requests cannot be kept on this disk, so none is made.
    case uncounted(String)

    /// For people; without secrets.
    package var words: String {
        switch self {
        case .service(let error): error.description
        case .transfer(.notConnected(let words)), .transfer(.notResolved(let words)):
            "the flight service cannot be reached: \(words)"
        case .transfer(let error): "the flight service does not answer well: \(error.words)"
        case .budgetSpent: "the day's requests to the flight service are used up (see -o flights_budget)"
        case .paused(let pause):
            "the flight service asked for a pause of \(pause.components.seconds + 1) s"
        case .crowded: "too many questions to the flight service at once"
        case .uncounted(let words): "requests to the flight service cannot be counted: \(words)"
        }
    }
}
