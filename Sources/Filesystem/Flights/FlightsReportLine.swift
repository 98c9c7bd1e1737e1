/// What the status report says of one flights source.
struct FlightsReportLine: Encodable, Sendable {
    var source: String
    /// Since the mount.
    var requests: Int
}
