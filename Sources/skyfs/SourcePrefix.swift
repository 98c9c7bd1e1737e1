import Flights

/// What stands before the address of a source and says what it is; without one, it is a URL whose answers tell.
enum SourcePrefix: String, Codable, CaseIterable {
    /// A folder whose files are sent there.
    case drop = "drop+"
    case webDAV = "dav+"
    case s3 = "s3+"
    /// A file of names and URLs.
    case links = "links:"
    /// A flight service.
    case flights = "flights+"

    /// The flight service at its usual address.
    static let flightsWord = "flights:"

    /// The value of `type` in a configuration file.
    var type: String {
        switch self {
        case .drop: "drop"
        case .webDAV: "webdav"
        case .s3: "s3"
        case .links: "links"
        case .flights: "flights"
        }
    }

    init?(type: String) {
        guard let found = Self.allCases.first(where: { $0.type == type }) else { return nil }
        self = found
    }

    /// The prefix of a source and what follows it.
    static func split(_ source: String) -> (prefix: SourcePrefix?, address: String) {
        if source == flightsWord { return (.flights, FlightService.usualAddress) }
        guard let prefix = allCases.first(where: { source.hasPrefix($0.rawValue) }) else { return (nil, source) }
        return (prefix, String(source.dropFirst(prefix.rawValue.count)))
    }
}
