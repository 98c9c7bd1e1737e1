import HTTP
import Listings
import Platform

/// What was learned about each server while using it. Any thread.
final class HostTraits: Sendable {
    private struct Traits {
        var refusesHead = false
        var server: String?
        var connections: Int?
    }

    private let origins = Lock<[Origin: Traits]>([:])

    /// Whether HEAD was refused where GET works, so that attributes are asked for by a 1-byte GET.
    func refusesHead(_ origin: Origin) -> Bool { origins.withLock { $0[origin]?.refusesHead ?? false } }

    func noteRefusedHead(_ origin: Origin) { origins.withLock { $0[origin, default: Traits()].refusesHead = true } }

    /// The media types that a listing of this server is asked for as.
    func listingTypes(of origin: Origin) -> String {
        ListingRequest.accept(server: origins.withLock { $0[origin]?.server })
    }

    func note(server: String?, of origin: Origin) {
        guard let server else { return }
        origins.withLock { $0[origin, default: Traits()].server = server }
    }

    /// How many parallel connections last made a sequential reader of this server faster; nil if none did yet.
    func connections(_ origin: Origin) -> Int? { origins.withLock { $0[origin]?.connections } }

    /// One connection is what every file begins with, and what a file says that was read too little to tell.
    func note(connections: Int, for origin: Origin) {
        guard connections > 1 else { return }
        origins.withLock { $0[origin, default: Traits()].connections = connections }
    }
}
