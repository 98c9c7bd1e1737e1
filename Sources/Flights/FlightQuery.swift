/// What the service is asked for: flights between two cities on one day.
package struct FlightQuery: Hashable, Sendable {
    /// The cities as the service takes them, see `CityDirectory.Entry.term`. Never empty: the service would put in its own.
    package var from: String
    package var to: String
    package var date: FlightDate

    package init(from: String, to: String, date: FlightDate) {
        self.from = from
        self.to = to
        self.date = date
    }

    /// Under what the answer is kept: equal for equal queries, whatever names led to them. XML cannot hold the sign between
    /// its parts, so no city's name has it.
    package var key: String { "\(from)\u{1F}\(to)\u{1F}\(date)" }
}
