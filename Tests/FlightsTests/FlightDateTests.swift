import Flights
import Platform
import Testing

@Suite struct FlightDateTests {
    @Test(arguments: [
        "2026-02-30", "0000-00-00", "2026-13-01", "2026-00-10", "2026-01-00", "2026-04-31", "2025-02-29", "1900-02-29",
        "0000-01-01", "2026-12-4", "2026-1-04", "26-12-04", "2026/12/04", "2026-12-041", " 2026-12-04", "2026-12-0４",
        "+026-12-04", "-026-12-04", "20261204--", "", "../../..-..",
    ])
    func datesThatDoNotExist(_ text: String) {
        #expect(FlightDate(text) == nil)
        #expect(FlightFileName(FileName("\(text).txt")) == nil)
    }

    @Test func everyDayOfTheCalendar() throws {
        let (first, last) = (try #require(FlightDate("0001-01-01")), try #require(FlightDate("9999-12-31")))
        #expect(first.dayNumber == -719_162 && first.weekday == 0)
        #expect(last.dayNumber == 2_932_896)
        // The calendar repeats itself after 400 years.
        var day = try #require(FlightDate("1899-12-31"))
        for _ in 0..<146_097 {
            let next = day.adding(days: 1)
            guard FlightDate(next.description) == next, next.description > day.description else {
                Issue.record("\(next)")
                return
            }
            day = next
        }
        #expect(FlightDate("2024-02-29")?.adding(days: 1).description == "2024-03-01")
        #expect(FlightDate("2026-12-24").map { FlightDate.weekdayNames[$0.weekday] } == "Thursday")
        #expect(FlightDate("1970-01-01")?.dayNumber == 0)
    }

    /// The day changes at midnight in Shanghai, 16:00 UTC.
    @Test func daysOfTheService() {
        let midnight: Int64 = 1_766_505_600  // 2025-12-23 16:00:00 UTC
        #expect(FlightDate(secondsSince1970: midnight - 1).description == "2025-12-23")
        #expect(FlightDate(secondsSince1970: midnight).description == "2025-12-24")
        #expect(FlightDate(secondsSince1970: midnight).start == midnight)
        #expect(FlightDate(secondsSince1970: midnight + 86_399).description == "2025-12-24")
        #expect(FlightDate(secondsSince1970: -28_801).description == "1969-12-31")
        #expect(FlightDate(secondsSince1970: -28_800).description == "1970-01-01")
        #expect(
            FlightDate.clock(midnight - 60) == "2025-12-23 23:59"
                && FlightDate.clock(midnight + 3660) == "2025-12-24 01:01")
        #expect(
            FlightDate.listed(at: midnight + 5 * 86_400).map(\.description) == [
                "2025-12-29", "2025-12-30", "2025-12-31", "2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04",
                "2026-01-05",
            ])
    }

    @Test func fileNames() throws {
        let date = try #require(FlightDate("2026-12-04"))
        for format in FlightFormat.allCases {
            let name = FlightFileName(date: date, format: format)
            #expect(name.fileName == FileName("2026-12-04.\(format.rawValue)") && FlightFileName(name.fileName) == name)
        }
        for name in [
            "2026-12-04", "2026-12-04.", "2026-12-04.TXT", "2026-12-04.txt~", "2026-12-04.tx", "2026-12-04.html",
            ".txt",
            "2026-12-04_txt", "2026-12-04.txt ", "2026-12-04..txt", ".2026-12-04.txt",
            String(repeating: "2", count: 255),
        ] {
            #expect(FlightFileName(FileName(name)) == nil, "\(name)")
        }
        #expect(FlightFileName(FileName(bytes: Array("2026-12-04.".utf8) + [0xFF, 0xFF, 0xFF])) == nil)
    }
}
