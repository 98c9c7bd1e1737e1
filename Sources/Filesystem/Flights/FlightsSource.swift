package import Flights

/// The flight service as a source of the mount.
package struct FlightsSource: Sendable {
    package let service: FlightService
    /// Requests a day.
    package var budget = 50

    package init(service: FlightService) { self.service = service }
}
