/// Which parser an answer is for, told by its media type and first bytes.
enum ListingFormat {
    case html

    /// Tags a listing begins with when it is sent without a type.
    private static let htmlStarts = [
        "<!doctype html", "<html", "<head", "<title", "<body", "<pre", "<table", "<ul", "<h1", "<a ",
    ]

    /// - Parameter mediaType: as in Content-Type, with or without parameters; nil: the answer had none.
    /// - Returns: nil if no parser takes it.
    static func recognise(mediaType: String?, body: [UInt8]) -> ListingFormat? {
        guard let mediaType else { return beginsAsHTML(body) ? .html : nil }
        let type = mediaType.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "text/html" || type == "application/xhtml+xml" ? .html : nil
    }

    private static func beginsAsHTML(_ body: [UInt8]) -> Bool {
        let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
        let start = text.drop { $0 <= 0x20 }.prefix(16).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return htmlStarts.contains { start.starts(with: $0.utf8) }
    }
}
