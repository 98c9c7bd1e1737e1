/// Which language an answer is written in, told by its media type and first bytes.
enum Markup {
    case html, json, xml

    /// Tags an HTML listing begins with when it is sent without a type.
    private static let htmlStarts = [
        "<!doctype html", "<html", "<head", "<title", "<body", "<pre", "<table", "<ul", "<h1", "<a ",
    ]

    /// - Parameter mediaType: as in Content-Type, with or without parameters; nil: the answer had none.
    /// - Returns: nil if no parser takes it.
    static func recognise(mediaType: String?, body: [UInt8]) -> Markup? {
        guard let mediaType else { return recognise(body) }
        let type = mediaType.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        switch type {
        // Some S3 servers call all they send a page.
        case "text/html" where isBucketList(body): return .xml
        case "text/html", "application/xhtml+xml": return .html
        case "application/json", "text/json": return .json
        case "application/xml", "text/xml": return .xml
        default: return nil
        }
    }

    private static func isBucketList(_ body: [UInt8]) -> Bool {
        body.starts(with: "<?xml".utf8)
            && String(decoding: body.prefix(512), as: UTF8.self).contains("<ListBucketResult")
    }

    private static func recognise(_ body: [UInt8]) -> Markup? {
        let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
        let start = text.drop { $0 <= 0x20 }.prefix(512).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if start.starts(with: "<?xml".utf8) {
            return String(decoding: start, as: UTF8.self).contains("<html") ? .html : .xml
        }
        return htmlStarts.contains { start.starts(with: $0.utf8) } ? .html : nil
    }
}
