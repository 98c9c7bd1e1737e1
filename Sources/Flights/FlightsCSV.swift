/// An answer as CSV (RFC 4180) with a header line; one line a flight, none without flights.
package enum FlightsCSV {
    private static let header = [
        "airline", "flight", "from_airport", "to_airport", "departs", "arrives", "arrives_next_day", "aircraft",
        "stops",
        "weekdays",
    ]

    package static func text(_ report: FlightsReport) -> String {
        var text = ""
        line(header, to: &text)
        for flight in report.flights {
            line(
                [
                    flight.airline, flight.number, flight.fromAirport, flight.toAirport, flight.departs, flight.arrives,
                    flight.arrivesNextDay ? "true" : "false", flight.aircraft, flight.stops, flight.weekdays,
                ], to: &text)
        }
        return text
    }

    private static func line(_ fields: [String], to text: inout String) {
        for (index, field) in fields.enumerated() {
            if index > 0 { text += "," }
            if field.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) {
                text +=
                    "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
                    + "\""
            } else {
                text += field
            }
        }
        text += "\r\n"
    }
}
