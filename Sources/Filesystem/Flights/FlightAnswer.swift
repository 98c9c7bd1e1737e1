package import Flights

/// What is known about the flights of one query.
package struct FlightAnswer: Sendable {
    package let flights: [Flight]
    /// The document as received.
    package let document: [UInt8]
    /// When it came, in seconds since 1970.
    package let fetched: Int64
    /// Why no newer answer is given although this one no longer counts; nil for one that does.
    package let staleReason: String?

    /// The rendered file.
    package func bytes(
        as format: FlightFormat, from: CityDirectory.Entry, to: CityDirectory.Entry, date: FlightDate, source: String
    ) -> [UInt8] {
        FlightsReport(
            from: from.name, to: to.name, date: date, flights: flights, source: source, fetched: fetched,
            staleReason: staleReason
        ).bytes(as: format, received: document)
    }
}
