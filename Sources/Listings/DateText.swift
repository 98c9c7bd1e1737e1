/// Dates as listings print them; without a zone they are taken as UTC. Only forms that mean one day are read: "1/2/2026" is
/// not guessed.
enum DateText {
    /// Words of a text from `index` on.
    /// - Returns: seconds since 1970 (nil if impossible or before 1971: "no date"), and how many words it took; nil if
    ///   there is no date here.
    static func parse(_ words: [Substring], at index: Int) -> (seconds: Int64?, words: Int)? {
        if index + 4 < words.count, words[index].count == 4, words[index].hasSuffix(","),
            let day = number(words[index + 1], 1...2), let month = month(words[index + 2]),
            let year = number(words[index + 3], 4...4), let time = time(words[index + 4])
        {
            let hasZone = index + 5 < words.count && ["GMT", "UTC", "+0000", "Z"].contains(words[index + 5])
            return (seconds(year, month, day, time), hasZone ? 6 : 5)
        }
        let parts = words[index].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, index + 1 < words.count else { return nil }
        let time = time(words[index + 1])
        if let day = number(parts[0], 1...2), let month = month(parts[1]), let year = number(parts[2], 4...4) {
            return (time.flatMap { seconds(year, month, day, $0) }, 2)
        }
        guard let year = number(parts[0], 4...4), let day = number(parts[2], 1...2) else { return nil }
        guard let month = month(parts[1]) ?? number(parts[1], 1...2) else { return nil }
        return (time.flatMap { seconds(year, month, day, $0) }, time == nil ? 1 : 2)
    }

    private static func number(_ text: Substring, _ length: ClosedRange<Int>) -> Int? {
        length.contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func month(_ text: Substring) -> Int? {
        text.utf8.count == 3 ? months.firstIndex(of: text.lowercased()).map { $0 + 1 } : nil
    }

    /// "03:39" or "03:39:00", in seconds of the day.
    private static func time(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let hour = number(parts[0], 2...2), hour < 24,
            let minute = number(parts[1], 2...2), minute < 60
        else { return nil }
        guard parts.count == 3 else { return hour * 3600 + minute * 60 }
        guard let second = number(parts[2], 2...2), second <= 60 else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int64? {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard 1971...2200 ~= year, 1...12 ~= month, 1...lengths[month - 1] ~= day else { return nil }
        // Days from 1970-01-01 by counting years of 365 days and the leap days before this one.
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400 - 477
        let days = (year - 1970) * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1
        return Int64(days * 86_400 + time)
    }
}
