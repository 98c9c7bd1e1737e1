/// One date with its time, in one of the forms that cannot be misread:
/// "02-Jan-2026 03:39", "02Jan2026 03:39", "2026-01-02 03:39", "2026/01/02 03:39", "2026-01-02T03:39:00Z",
/// "2026-Jan-02 03:39:00", "02 Jan 2026 03:39:00", "Jan 2, 2026, 3:39:00 AM", "Jan  2 03:39:00 2026".
/// AM, PM and a zone may follow: "GMT", "+0100", "+01:00". What has no zone, or one of another name, is taken as UTC.
struct DateReader {
    let year: Int
    /// Seconds since 1970; nil if there is no such day or time.
    let seconds: Int64?

    private typealias Day = (year: Int, month: Int, day: Int)
    typealias Clock = (hour: Int, minute: Int, second: Int)

    /// - Parameters:
    ///   - word: where the date may begin.
    ///   - words: the following words; moved behind the date if there is one.
    init?(_ word: ArraySlice<UInt8>, _ words: inout WordReader) {
        guard let first = word.first, (0x30...0x39).contains(first) || ListingDate.month(word.prefix(3)) != nil else {
            return nil
        }
        var rest = words
        let joined = word.firstIndex(of: UInt8(ascii: "T"))
        var offset: Int?
        let day: Day
        var clock: Clock
        if let date = Self.day(word), let next = rest.next(), let time = Self.time(next) {
            (day, clock) = (date, time)
        } else if let joined, let date = Self.day(word[..<joined]) {
            let time = word[(joined + 1)...]
            // A minus only parts the offset here: the day's stand before the T.
            let mark = time.firstIndex { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            guard let read = Self.time(time[..<(mark ?? time.endIndex)]) else { return nil }
            offset = mark.flatMap { Self.offset(time[$0...]) }
            (day, clock, rest) = (date, read, words)
        } else {
            rest = words
            guard let spelled = Self.spelled(word, &rest) else { return nil }
            (day, clock) = spelled
        }
        var isTime = true
        if let mark = rest.peek(), Self.isHalfDayMark(mark) {
            _ = rest.next()
            isTime = (1...12).contains(clock.hour)
            clock.hour = clock.hour % 12 + (mark.first.map { $0 | 0x20 } == UInt8(ascii: "p") ? 12 : 0)
        }
        if offset == nil, let zone = rest.peek() {
            offset = Self.offset(zone)
            if offset != nil || Self.isZone(zone) { _ = rest.next() }
        }
        words = rest
        year = day.year
        let read = ListingDate.seconds(
            year: day.year, month: day.month, day: day.day, hour: clock.hour, minute: clock.minute,
            second: clock.second)
        seconds = isTime ? read.map { $0 - Int64(offset ?? 0) } : nil
    }

    /// A day whose month is a word of its own, and its time.
    private static func spelled(_ word: ArraySlice<UInt8>, _ words: inout WordReader) -> (Day, Clock)? {
        if let day = number(word, 1...2) {
            guard let month = words.next().flatMap(ListingDate.month), let year = words.next().flatMap(fullYear),
                let clock = words.next().flatMap(time)
            else { return nil }
            return ((year, month, day), clock)
        }
        guard let month = ListingDate.month(word) ?? ListingDate.fullMonth(word),
            let day = words.next().flatMap({ number(withoutComma($0), 1...2) }), let third = words.next()
        else { return nil }
        if let year = fullYear(third) { return words.next().flatMap(time).map { ((year, month, day), $0) } }
        guard let clock = time(third), let year = words.next().flatMap(fullYear) else { return nil }
        return ((year, month, day), clock)
    }

    /// "03:39" or "03:39:00", which may have a fraction and end in "Z".
    static func time(_ word: ArraySlice<UInt8>) -> Clock? {
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

    static func isHalfDayMark(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.count == 2, let first = word.first, let last = word.last else { return false }
        return (first | 0x20 == UInt8(ascii: "a") || first | 0x20 == UInt8(ascii: "p"))
            && last | 0x20 == UInt8(ascii: "m")
    }

    /// "GMT", "UTC", "CEST" and the like.
    static func isZone(_ word: ArraySlice<UInt8>) -> Bool {
        (3...4).contains(word.count) && word.allSatisfy { (0x41...0x5A).contains($0) }
    }

    /// "02-Jan-2026", "02/Jan/2026", "02Jan2026", "2026-01-02", "2026/01/02" or "2026-Jan-02".
    private static func day(_ word: ArraySlice<UInt8>) -> Day? {
        if word.count == 9, let month = ListingDate.month(word.dropFirst(2).prefix(3)),
            let day = number(word.prefix(2), 2...2), let year = number(word.suffix(4), 4...4)
        {
            return (year, month, day)
        }
        let mark = word.contains(UInt8(ascii: "-")) ? UInt8(ascii: "-") : UInt8(ascii: "/")
        guard let (first, rest) = split(word, at: mark), let (second, third) = split(rest, at: mark) else { return nil }
        let month = ListingDate.month(second)
        if let year = number(first, 4...4), let month = month ?? number(second, 2...2), let day = number(third, 1...2) {
            return (year, month, day)
        }
        if let month, let day = number(first, 1...2), let year = number(third, 4...4) { return (year, month, day) }
        return nil
    }

    /// "+0100" or "-01:00" in seconds.
    private static func offset(_ word: ArraySlice<UInt8>) -> Int? {
        guard let sign = word.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            let digits = number(word.dropFirst().filter { $0 != UInt8(ascii: ":") }[...], 4...4), digits <= 1400
        else { return nil }
        let seconds = digits / 100 * 3600 + digits % 100 * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    private static func fullYear(_ word: ArraySlice<UInt8>) -> Int? { number(withoutComma(word), 4...4) }

    private static func withoutComma(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        word.last == UInt8(ascii: ",") ? word.dropLast() : word
    }

    private static func split(_ word: ArraySlice<UInt8>, at mark: UInt8) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        word.firstIndex(of: mark).map { (word[..<$0], word[($0 + 1)...]) }
    }

    private static func number(_ word: ArraySlice<UInt8>, _ digits: ClosedRange<Int>) -> Int? {
        digits.contains(word.count) ? SizeReader.integer(word).map { Int($0) } : nil
    }
}
