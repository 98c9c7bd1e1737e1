/// Calendar arithmetic for the dates of listings: no clock, no time zone database.
enum ListingDate {
    /// Years a listing may name: earlier ones are the epoch of a server without a clock, later ones are nonsense.
    static let years = 1971...2199

    /// Seconds since 1970 of a UTC date; nil if there is no such date or time, or the year is absurd.
    static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int64? {
        guard years.contains(year), (1...12).contains(month), (1...days(year: year, month: month)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        return Int64(daysSinceEpoch(year: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + second)
    }

    /// The first date with a time that stands in a text: "Fri, 02 Jan 2026 03:39:00 GMT", "2026-01-02T03:39:00.000Z".
    static func seconds(_ text: [UInt8]) -> Int64? {
        var words = WordReader(text)
        while let word = words.next() {
            if let date = DateReader(word, &words) { return date.seconds }
        }
        return nil
    }

    /// 1...12 for an English month written out, in any case.
    static func fullMonth(_ name: ArraySlice<UInt8>) -> Int? {
        fullMonths.firstIndex { $0.count == name.count && zip($0, name).allSatisfy { $0 == $1 | 0x20 } }.map { $0 + 1 }
    }

    /// 1...12 for the three letters of an English month, in any case.
    static func month(_ name: ArraySlice<UInt8>) -> Int? {
        guard name.count == 3 else { return nil }
        return months.firstIndex(of: packed(name)).map { $0 + 1 }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        .map { packed(Array($0.utf8)[...]) }

    private static let fullMonths = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ].map { Array($0.utf8) }

    private static func packed(_ name: ArraySlice<UInt8>) -> UInt32 {
        name.reduce(0) { $0 << 8 | UInt32($1 | 0x20) }
    }

    private static func days(year: Int, month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The proleptic Gregorian day number, counted from March so that the leap day is a year's last.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }
}
