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
        let seconds = word.last == UInt8(ascii: "Z") ? word.dropLast() : word
        let whole = seconds.firstIndex(of: UInt8(ascii: ".")).map { seconds[..<$0] } ?? seconds
        var parts = whole.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)[...]
        guard parts.count == 2 || parts.count == 3, let hour = number(parts.removeFirst(), 1...2),
            let minute = number(parts.removeFirst(), 2...2)
        else { return nil }
        guard let last = parts.first else { return (hour, minute, 0) }
        return number(last, 2...2).map { (hour, minute, $0) }
    }

    /// "02-Jan-2026", "2026-01-02" or "2026-Jan-02".
    private static func day(_ word: ArraySlice<UInt8>) -> (year: Int, month: Int, day: Int)? {
        let parts = word.split(separator: UInt8(ascii: "-"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let month = ListingDate.month(parts[1])
        if let year = number(parts[0], 4...4), let month = month ?? number(parts[1], 2...2),
            let day = number(parts[2], 1...2)
        {
            return (year, month, day)
        }
        if let month, let day = number(parts[0], 1...2), let year = number(parts[2], 4...4) {
            return (year, month, day)
        }
        return nil
    }

    private static func number(_ word: ArraySlice<UInt8>, _ digits: ClosedRange<Int>) -> Int? {
        digits.contains(word.count) ? EntryColumns.integer(word).map { Int($0) } : nil
    }
}
