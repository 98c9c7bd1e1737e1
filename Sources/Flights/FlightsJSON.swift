import FoundationEssentials

/// An answer as JSON. The names of the fields and their types stay as they are:
///
/// | field | |
/// |---|---|
/// | `from`, `to` | cities, as in the path |
/// | `date` | "2026-12-24" |
/// | `source` | where the answer is from |
/// | `fetched` | when it came, "2026-12-20T09:30:00+08:00" |
/// | `stale` | null, or why no newer answer is there |
/// | `flights` | list, in the service's order |
/// | `flights[].airline`, `.flight`, `.fromAirport`, `.toAirport`, `.departs`, `.arrives`, `.aircraft` | text; empty if not told |
/// | `flights[].arrivesNextDay` | whether it arrives after midnight |
/// | `flights[].stops` | number, null if not told as one |
/// | `flights[].weekdays` | the service's letters: "1" to "6" from Monday on, "日" for Sunday |
package enum FlightsJSON {
    /// Indented, the fields in alphabetical order, with a line feed at the end.
    package static func text(_ report: FlightsReport) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Texts, numbers and lists of them: nothing here can fail to be encoded.
        guard let data = try? encoder.encode(Answer(report)) else { return "" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private struct Answer: Encodable {
        let report: FlightsReport

        init(_ report: FlightsReport) { self.report = report }

        private enum Field: CodingKey { case from, to, date, source, fetched, stale, flights }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Field.self)
            let fetched = FlightDate.clock(report.fetched).split(separator: " ")
            let seconds = (report.fetched % 60 + 60) % 60
            try container.encode(report.from, forKey: .from)
            try container.encode(report.to, forKey: .to)
            try container.encode(report.date.description, forKey: .date)
            try container.encode(CleanText.of(report.source), forKey: .source)
            try container.encode(
                "\(fetched.joined(separator: "T")):\(seconds < 10 ? "0" : "")\(seconds)+08:00", forKey: .fetched)
            try container.encode(report.staleReason.map(CleanText.of), forKey: .stale)
            try container.encode(report.flights.map(Row.init), forKey: .flights)
        }
    }

    private struct Row: Encodable {
        let airline, flight, fromAirport, toAirport, departs, arrives, aircraft, weekdays: String
        let arrivesNextDay: Bool
        let stops: Int?

        init(_ flight: Flight) {
            airline = flight.airline
            self.flight = flight.number
            fromAirport = flight.fromAirport
            toAirport = flight.toAirport
            departs = flight.departs
            arrives = flight.arrives
            aircraft = flight.aircraft
            weekdays = flight.weekdays
            arrivesNextDay = flight.arrivesNextDay
            stops = Int(flight.stops)
        }

        private enum Field: CodingKey {
            case airline, flight, fromAirport, toAirport, departs, arrives, arrivesNextDay, aircraft, stops, weekdays
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Field.self)
            try container.encode(airline, forKey: .airline)
            try container.encode(flight, forKey: .flight)
            try container.encode(fromAirport, forKey: .fromAirport)
            try container.encode(toAirport, forKey: .toAirport)
            try container.encode(departs, forKey: .departs)
            try container.encode(arrives, forKey: .arrives)
            try container.encode(arrivesNextDay, forKey: .arrivesNextDay)
            try container.encode(aircraft, forKey: .aircraft)
            try container.encode(stops, forKey: .stops)
            try container.encode(weekdays, forKey: .weekdays)
        }
    }
}
