/// A day of the calendar. The service's days are those of Asia/Shanghai, which has been UTC+8 all year since 1991.
package struct FlightDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Days since 1 January 1970.
    package let dayNumber: Int

    /// Seconds that the service's clock is ahead of UTC.
    package static let offset: Int64 = 8 * 3600
    /// Today and the seven days after it are listed.
    package static let listedDays = 8

    package init(dayNumber: Int) { self.dayNumber = dayNumber }

    /// The service's day at a moment.
    package init(secondsSince1970 seconds: Int64) {
        let (days, rest) = (seconds + Self.offset).quotientAndRemainder(dividingBy: 86_400)
        dayNumber = Int(rest < 0 ? days - 1 : days)
    }

    /// Reads "2026-12-04": padded, the years 0001 to 9999, days that exist.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard 0x30...0x39 ~= byte else { return nil }
                value = value * 10 + Int(byte) - 0x30
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), year > 0, 1...12 ~= month
        else { return nil }
        // Counted from March on, so that the leap day is a year's last.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        dayNumber = days
        guard day >= 1, self.parts == (year, month, day) else { return nil }
    }

    /// The first moment of this day, in seconds since 1970.
    package var start: Int64 { Int64(dayNumber) * 86_400 - Self.offset }

    package func adding(days: Int) -> FlightDate { FlightDate(dayNumber: dayNumber + days) }

    /// The days to list at a moment: today and the next seven.
    package static func listed(at seconds: Int64) -> [FlightDate] {
        let today = FlightDate(secondsSince1970: seconds)
        return (0..<listedDays).map { today.adding(days: $0) }
    }

    /// 0 for Monday.
    package var weekday: Int { ((dayNumber + 3) % 7 + 7) % 7 }

    package static let weekdayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    package static func < (left: FlightDate, right: FlightDate) -> Bool { left.dayNumber < right.dayNumber }

    /// "2026-12-04".
    package var description: String {
        let (year, month, day) = parts
        return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    }

    /// A moment on the service's clock: "2026-12-04 07:05".
    package static func clock(_ seconds: Int64) -> String {
        let date = FlightDate(secondsSince1970: seconds)
        let minutes = Int(seconds - date.start) / 60
        return "\(date) \(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))"
    }

    private var parts: (year: Int, month: Int, day: Int) {
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month > 9 ? 1 : 0), month > 9 ? month - 9 : month + 3, day)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
