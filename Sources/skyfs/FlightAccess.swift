import Filesystem
import Flights
import HTTP
import Platform

/// How a flight service is spoken to, as far as people decide it.
struct FlightAccess: Codable, Equatable, Sendable {
    private(set) var transport = FlightTransport.get.rawValue
    /// The number of a customer who pays; a secret.
    private(set) var userID = ""

    /// Errors name the option and never the value, which may be a secret put into the wrong place.
    mutating func setTransport(_ name: String, from option: String) throws(CommandError) {
        guard FlightTransport(rawValue: name) != nil else {
            let names = FlightTransport.allCases.map(\.rawValue)
            throw CommandError(
                .usage, "\(option): unknown transport",
                advice: NearNames.advice(
                    NearNames(names).near(name), otherwise: "examples/: \(names.joined(separator: ", "))"))
        }
        transport = name
    }

    mutating func setUserID(_ id: String, from option: String) throws(CommandError) {
        guard 1...256 ~= id.utf8.count, id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw CommandError(.usage, "\(option): cannot be a customer's number")
        }
        userID = id
    }

    /// The service at a URL, which has no user name in it.
    func source(_ url: HTTPURL, budget: Int) -> FlightsSource {
        let service = FlightService(
            address: url.text, transport: FlightTransport(rawValue: transport) ?? .get, userID: userID)
        var source = FlightsSource(service: service)
        source.limits.daily = budget
        return source
    }
}
