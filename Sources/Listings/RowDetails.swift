/// What the text beside a link says of the entry: date, size, perhaps that it is a directory.
struct RowDetails {
    private(set) var modified: Int64?
    private(set) var size = ListingEntry.Size.unknown
    private(set) var hasDate = false
    private(set) var saysDirectory = false

    var hasDetails: Bool { hasDate || size != .unknown || saysDirectory }

    /// - Parameter isBefore: the text stands before the link; only a number right before it is its size.
    init(_ text: [UInt8], isBefore: Bool) {
        let words = String(decoding: text, as: UTF8.self).split {
            $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\u{A0}"
        }
        var index = 0
        while index < words.count {
            if let date = DateText.parse(words, at: index) {
                if !hasDate { modified = date.seconds }
                hasDate = true
                index += date.words
                continue
            }
            let isLast = index == words.count - 1
            if size == .unknown || isBefore {
                let unit = isLast || isBefore ? nil : words[index + 1].utf8
                if let found = SizeText.parse(words[index].utf8, unit: unit) {
                    if !isBefore || isLast { size = found }
                }
            }
            if words[index].lowercased() == "<dir>" { saysDirectory = true }
            index += 1
        }
    }
}
