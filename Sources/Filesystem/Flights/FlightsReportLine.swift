/// What the status report says of one flights source.
package struct FlightsReportLine: Encodable, Sendable {
    package var source: String
    /// Since the mount.
    package var requests: Int
    /// By all processes of this user, as far as this one knows; nil while that cannot be told.
    package var usedToday: Int?
    package var budget: Int
    /// Why the last question got no new answer.
    package var lastError: String?

    package var line: String {
        let used = usedToday.map { ", \($0) of \(budget) used today" } ?? ""
        return "flights \(source)  \(requests) requests\(used)\(lastError.map { "; \($0)" } ?? "")"
    }
}
