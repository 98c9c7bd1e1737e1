package import Flights

/// The flight service as a source of the mount.
package struct FlightsSource: Sendable {
    package let service: FlightService
    package var limits = RequestLimits()

    package init(service: FlightService) { self.service = service }
}
