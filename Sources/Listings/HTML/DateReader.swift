/// One date with its time, in one of the forms that cannot be misread:
/// "02-Jan-2026 03:39", "2026-01-02 03:39", "2026-01-02T03:39:00Z", "2026-Jan-02 03:39:00", "02 Jan 2026 03:39:00".
struct DateReader {
    let year: Int
    /// Seconds since 1970; nil if there is no such day or time.
    let seconds: Int64?

    /// - Parameters:
    ///   - word: where the date may begin.
    ///   - words: the following words; moved behind the date if there is one.
    init?(_ word: ArraySlice<UInt8>, _ words: inout WordReader) {
        guard let first = word.first, (0x30...0x39).contains(first) else { return nil }
        var rest = words
        let day: (year: Int, month: Int, day: Int)
        let clock: (hour: Int, minute: Int, second: Int)
        if let date = Self.day(word), let word = rest.next(), let time = Self.time(word) {
            (day, clock) = (date, time)
        } else if let split = word.firstIndex(of: UInt8(ascii: "T")), let date = Self.day(word[..<split]),
            let time = Self.time(word[(split + 1)...])
        {
            (day, clock) = (date, time)
        } else if let number = Self.number(word, 1...2) {
            rest = words
            guard let monthWord = rest.next(), let month = ListingDate.month(monthWord),
                let yearWord = rest.next(), let year = Self.number(yearWord, 4...4),
                let timeWord = rest.next(), let time = Self.time(timeWord)
            else { return nil }
            (day, clock) = ((year, month, number), time)
        } else {
            return nil
        }
        words = rest
        year = day.year
        seconds = ListingDate.seconds(
            year: day.year, month: day.month, day: day.day, hour: clock.hour, minute: clock.minute,
            second: clock.second)
    }

    /// "03:39" or "03:39:00", which may have a fraction and end in "Z".
    static func time(_ word: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        guard let (hourText, rest) = split(word, at: UInt8(ascii: ":")), let hour = number(hourText, 1...2) else {
            return nil
        }
        let plain = rest.last == UInt8(ascii: "Z") ? rest.dropLast() : rest
        let whole = split(plain, at: UInt8(ascii: "."))?.0 ?? plain
        guard let (minuteText, secondText) = split(whole, at: UInt8(ascii: ":")) else {
            return number(whole, 2...2).map { (hour, $0, 0) }
        }
        guard let minute = number(minuteText, 2...2), let second = number(secondText, 2...2) else { return nil }
        return (hour, minute, second)
    }

    /// "02-Jan-2026", "2026-01-02" or "2026-Jan-02".
    private static func day(_ word: ArraySlice<UInt8>) -> (year: Int, month: Int, day: Int)? {
        guard let (first, rest) = split(word, at: UInt8(ascii: "-")),
            let (second, third) = split(rest, at: UInt8(ascii: "-"))
        else { return nil }
        let month = ListingDate.month(second)
        if let year = number(first, 4...4), let month = month ?? number(second, 2...2), let day = number(third, 1...2) {
            return (year, month, day)
        }
        if let month, let day = number(first, 1...2), let year = number(third, 4...4) { return (year, month, day) }
        return nil
    }

    private static func split(_ word: ArraySlice<UInt8>, at mark: UInt8) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        word.firstIndex(of: mark).map { (word[..<$0], word[($0 + 1)...]) }
    }

    private static func number(_ word: ArraySlice<UInt8>, _ digits: ClosedRange<Int>) -> Int? {
        digits.contains(word.count) ? EntryColumns.integer(word).map { Int($0) } : nil
    }
}
