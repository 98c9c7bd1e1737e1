/// Size and date of an entry, found in the text that stands beside its link.
///
/// Servers write "02-Jan-2026 03:39   1234" (nginx), "2026-01-02 03:39  1.2K" (Apache), "2026-Jan-02 03:39:00 1.2K"
/// (lighttpd), "1.2 kb Fri, 02 Jan 2026 03:39:00 GMT" (Tomcat) or "28.10.2025 15:04  1234" (IIS, before the link).
/// A number without a unit is a count of bytes: Apache prints 0...972 so and rounds from there on (`apr_strfsize`),
/// nginx with `autoindex_exact_size off` up to 9999; lighttpd always has a unit. It is believed only where it follows
/// a date or time. All-numeric dates other than ISO 8601 are ambiguous and not read.
struct EntryColumns: Equatable {
    var size = ListingEntry.Size.unknown
    /// Seconds since 1970; what has no zone is taken as UTC.
    var modified: Int64?
    /// The date was one of 1970, which a server writes that does not know it.
    var isEpoch = false

    /// - Returns: nil if the text holds neither a size nor a date.
    init?(_ text: [UInt8]) {
        var words = WordReader(text)
        var hasDate = false
        var before = ListingEntry.Size.unknown
        var previous: ArraySlice<UInt8> = []
        var wordCount = 0
        while let word = words.next() {
            wordCount += 1
            if let date = DateReader(word, &words) {
                hasDate = true
                isEpoch = date.year == 1970
                modified = date.seconds
                size = Self.size(after: &words)
                break
            }
            if DateReader.time(word) != nil {
                // A date in no form that is read; what follows is the size only if nothing else does.
                hasDate = true
                let found = Self.size(after: &words)
                if words.peek() == nil { size = found }
                break
            }
            switch SizeReader.size(number: word, unit: []) ?? SizeReader.size(number: previous, unit: word) {
            case .exact(let bytes), .approximate(let bytes): before = .approximate(bytes)
            case .unknown, nil: break
            }
            previous = word
        }
        if size == .unknown, hasDate || wordCount <= 2 { size = before }
        guard hasDate || size != .unknown else { return nil }
    }

    private static func size(after words: inout WordReader) -> ListingEntry.Size {
        while let word = words.peek(), DateReader.isHalfDayMark(word) || DateReader.isZone(word) { _ = words.next() }
        guard let word = words.next() else { return .unknown }
        if let unit = words.peek(), let size = SizeReader.size(number: word, unit: unit) {
            _ = words.next()
            return size
        }
        return SizeReader.integer(word).map { .exact($0) } ?? SizeReader.size(number: word, unit: []) ?? .unknown
    }
}
