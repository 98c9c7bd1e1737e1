import Flights
import FoundationEssentials
import Testing

@Suite struct RenderingTests {
    private func report(_ name: String = "flights-sha-bjs-get.xml", stale: String? = nil) throws -> FlightsReport {
        FlightsReport(
            from: "上海", to: "北京", date: try #require(FlightDate("2026-12-24")),
            flights: try FlightsReader.flights(in: Document.bytes(name)), source: "webservice.webxml.com.cn",
            fetched: 1_766_505_600 + 3661, staleReason: stale)
    }

    @Test func table() throws {
        #expect(
            FlightsText.text(try report()) == """
                上海 → 北京, Thursday 2026-12-24: 5 flights

                Airline   Flight  From              To                Departs  Arrives   Aircraft  Stops  Days
                东方航空  MU9001  上海虹桥国际机场  北京首都国际机场  07:00    09:20     333       0      Mon-Fri
                南方航空  CZ9002  上海虹桥国际机场  北京首都国际机场  07:00    09:20     333       0      Mon-Fri
                海南航空  HU9003  上海浦东国际机场  北京首都国际机场  11:25    13:45     738       0      daily
                中国国航  CA9004  上海虹桥国际机场  北京首都国际机场  15:40    19:05     JET       1      Tue-Thu, Sat, Sun
                吉祥航空  HO9005  上海虹桥国际机场  北京首都国际机场  21:50    00:20 +1  76A       0      Wed

                Source: webservice.webxml.com.cn, 2025-12-24 01:01 (UTC+8)

                """)
    }

    @Test func noFlightsAndStaleAnswers() throws {
        #expect(
            FlightsText.text(try report("flights-none-get.xml", stale: "HTTP status 503\u{1B}[m")) == """
                上海 → 北京, Thursday 2026-12-24: no flights

                Source: webservice.webxml.com.cn, 2025-12-24 01:01 (UTC+8)
                May be out of date: no newer answer, HTTP status 503\u{FFFD}[m

                """)
    }

    @Test func badValuesDoNotSpoilTheTable() throws {
        var report = try report()
        report.flights = Array(report.flights.prefix(2))
        report.flights[0].airline = String(repeating: "长", count: 5000)
        report.flights[1].airline = ""
        report.flights[1].weekdays = "e\u{301}?"
        report.flights[1].arrives = "?"
        let lines = FlightsText.text(report).split(separator: "\n").map(String.init)
        #expect(lines[2].hasPrefix(String(repeating: "长", count: 19) + "…  MU9001  "))
        #expect(lines[3].hasPrefix(String(repeating: " ", count: 41) + "CZ9002"))
        #expect(lines[3].hasSuffix("?        333       0      e\u{301}?"))
    }

    @Test func json() throws {
        let data = Data(FlightsJSON.text(try report(stale: "gone")).utf8)
        let object = try JSONDecoder().decode(Decoded.self, from: data)
        #expect(object.from == "上海" && object.to == "北京" && object.date == "2026-12-24")
        #expect(object.source == "webservice.webxml.com.cn" && object.fetched == "2025-12-24T01:01:01+08:00")
        #expect(object.stale == "gone" && object.flights.count == 5)
        let last = object.flights[4]
        #expect(last.airline == "吉祥航空" && last.flight == "HO9005" && last.fromAirport == "上海虹桥国际机场")
        #expect(last.toAirport == "北京首都国际机场" && last.departs == "21:50" && last.arrives == "00:20")
        #expect(last.arrivesNextDay && last.aircraft == "76A" && last.stops == 0 && last.weekdays == "3")
        #expect(object.flights[2].weekdays == "123456日" && !object.flights[2].arrivesNextDay)
        let fresh = FlightsJSON.text(try report("flights-none-get.xml"))
        #expect(fresh.contains("\"stale\" : null") && fresh.hasSuffix("}\n"))
        var odd = try report()
        odd.flights[0].stops = "via"
        #expect(FlightsJSON.text(odd).contains("\"stops\" : null"))
    }

    private struct Decoded: Decodable {
        struct Row: Decodable {
            let airline, flight, fromAirport, toAirport, departs, arrives, aircraft, weekdays: String
            let arrivesNextDay: Bool
            let stops: Int?
        }
        let from, to, date, source, fetched: String
        let stale: String?
        let flights: [Row]
    }

    @Test func csv() throws {
        var report = try report()
        report.flights = [report.flights[4]]
        report.flights[0].airline = "a,\"b\""
        #expect(
            FlightsCSV.text(report)
                == "airline,flight,from_airport,to_airport,departs,arrives,arrives_next_day,aircraft,stops,weekdays\r\n"
                + "\"a,\"\"b\"\"\",HO9005,上海虹桥国际机场,北京首都国际机场,21:50,00:20,true,76A,0,3\r\n")
        report.flights = []
        #expect(FlightsCSV.text(report).split(separator: "\r\n").count == 1)
    }

    @Test func xmlIsAsReceived() throws {
        let document = try Document.bytes("flights-sha-bjs-get.xml")
        let report = try report()
        #expect(report.bytes(as: .xml, received: document) == document)
        #expect(report.bytes(as: .text, received: document) == Array(FlightsText.text(report).utf8))
        #expect(report.bytes(as: .csv, received: document) == Array(FlightsCSV.text(report).utf8))
        #expect(report.bytes(as: .json, received: document) == Array(FlightsJSON.text(report).utf8))
    }
}
