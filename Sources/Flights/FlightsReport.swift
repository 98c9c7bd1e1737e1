/// An answer with all that its renderings tell.
package struct FlightsReport: Sendable {
    /// The cities by their listed names.
    package var from: String
    package var to: String
    package var date: FlightDate
    package var flights: [Flight]
    /// Where the answer is from: the service's host or masked URL.
    package var source: String
    /// When it came, in seconds since 1970.
    package var fetched: Int64
    /// Why no newer answer is shown although this one no longer counts; nil for one that does.
    package var staleReason: String?

    package init(
        from: String, to: String, date: FlightDate, flights: [Flight], source: String, fetched: Int64,
        staleReason: String? = nil
    ) {
        self.from = from
        self.to = to
        self.date = date
        self.flights = flights
        self.source = source
        self.fetched = fetched
        self.staleReason = staleReason
    }
}

extension FlightsReport {
    /// The bytes of a file.
    /// - Parameter document: the answer as received, which is what `.xml` shows.
    package func bytes(as format: FlightFormat, received document: [UInt8]) -> [UInt8] {
        switch format {
        case .text: Array(FlightsText.text(self).utf8)
        case .json: Array(FlightsJSON.text(self).utf8)
        case .csv: Array(FlightsCSV.text(self).utf8)
        case .xml: document
        }
    }
}
