/// An answer as text for people in a terminal.
package enum FlightsText {
    private static let header = [
        "Airline", "Flight", "From", "To", "Departs", "Arrives", "Aircraft", "Stops", "Days",
    ]

    /// A title, the table, and where and when the answer came from. Ends with a line feed.
    package static func text(_ report: FlightsReport) -> String {
        let count = report.flights.count
        let weekday = FlightDate.weekdayNames[report.date.weekday]
        var text = "\(report.from) → \(report.to), \(weekday) \(report.date): "
        text += count == 0 ? "no flights\n\n" : "\(count) \(count == 1 ? "flight" : "flights")\n\n"
        if count > 0 {
            var table = TextTable(header: header)
            for flight in report.flights { table.add(row(flight)) }
            table.write(to: &text)
            text += "\n"
        }
        text += "Source: \(CleanText.of(report.source)), \(FlightDate.clock(report.fetched)) (UTC+8)\n"
        if let reason = report.staleReason {
            text += "May be out of date: no newer answer, \(CleanText.of(reason))\n"
        }
        return text
    }

    private static func row(_ flight: Flight) -> [String] {
        [
            flight.airline, flight.number, flight.fromAirport, flight.toAirport, flight.departs,
            flight.arrivesNextDay ? "\(flight.arrives) +1" : flight.arrives, flight.aircraft, flight.stops,
            Weekdays.words(flight.weekdays),
        ]
    }
}
