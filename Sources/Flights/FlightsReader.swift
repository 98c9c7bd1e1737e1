/// The service's answers, read. Pure: bytes in, flights or the reason why not out. Any thread; a large answer takes
/// milliseconds.
package enum FlightsReader {
    /// The most bytes of an answer that are read; a day's flights between two cities are 40 KB.
    package static let maximumSize = 4 << 20

    /// The flights of an answer to `getDomesticAirlinesTime`, in the service's order; none if it says that there are none.
    /// - Parameter body: of an answer with status 200, as received.
    package static func flights(in body: [UInt8]) throws(FlightsError) -> [Flight] {
        let rows = try ServiceDocument.rows(of: .flights, in: body)
        var flights: [Flight] = []
        flights.reserveCapacity(rows.count)
        for row in rows {
            guard Flight.isNumber(row[1]) else {
                if let error = ServiceMessage(row).error { throw error }
                continue
            }
            flights.append(
                Flight(
                    airline: CleanText.shown(row[0]), number: CleanText.shown(row[1]),
                    fromAirport: CleanText.shown(row[2]),
                    toAirport: CleanText.shown(row[3]), departs: CleanText.shown(row[4]),
                    arrives: CleanText.shown(row[5]), aircraft: CleanText.shown(row[6]), stops: CleanText.shown(row[7]),
                    weekdays: CleanText.shown(row[8])))
        }
        return flights
    }

    /// The cities of an answer to `getDomesticCity`, in the service's order. Never none.
    /// - Parameter body: of an answer with status 200, as received.
    package static func cities(in body: [UInt8]) throws(FlightsError) -> [City] {
        var cities: [City] = []
        for row in try ServiceDocument.rows(of: .cities, in: body) {
            guard City.isCode(row[2]) else {
                if let error = ServiceMessage(row).error { throw error }
                continue
            }
            cities.append(City(name: row[0], englishName: row[1], code: row[2]))
        }
        guard !cities.isEmpty else { throw .notTheAnswer("its list of cities is empty") }
        return cities
    }

    /// The reason of an answer with another status than 200, in the service's words where it has some.
    package static func failure(status: Int, body: [UInt8]) -> FlightsError {
        if status == 429 { return .quota("HTTP status 429") }
        do {
            _ = try ServiceDocument.rows(of: .flights, in: body)
        } catch .refused(let words) {
            return .refused("HTTP status \(status): \(words)")
        } catch {}
        // ASP.NET tells the exception as plain text, its trace on the lines that follow.
        let line = body.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(512)
        let words = line.contains(UInt8(ascii: "<")) ? "" : CleanText.of(String(decoding: line, as: UTF8.self))
        return .refused("HTTP status \(status)\(words.isEmpty ? "" : ": \(words)")")
    }
}
