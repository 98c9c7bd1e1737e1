/// Why there are no flights. The words are safe to show.
package enum FlightsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The service does not know one of the cities: no such directory.
    case unknownCity(String)
    /// Asked too often or too fast: later again. Never to be kept as an answer.
    case quota(String)
    /// The service refused or failed, in its own words.
    case refused(String)
    /// Anything but the expected document: cut, not XML, another one, beyond the limits.
    case notTheAnswer(String)

    package var description: String {
        switch self {
        case .unknownCity(let words): "the flight service does not know the city: \(words)"
        case .quota(let words): "the flight service was asked too often: \(words)"
        case .refused(let words): "the flight service refused: \(words)"
        case .notTheAnswer(let words): "no answer of the flight service: \(words)"
        }
    }
}
