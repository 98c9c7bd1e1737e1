/// The encoding a document says it has: by its byte order mark, else by its XML declaration, else UTF-8.
///
/// What the transport said (`Content-Type`) does not count: servers put their default there, whatever the document says.
enum XMLEncoding {
    /// Names libxml2 or iconv know. Nothing else reaches iconv, which loads a library by the name it is given.
    private static let known: [String: String] = {
        var names = ["utf-8": "UTF-8", "us-ascii": "UTF-8", "ascii": "UTF-8", "utf8": "UTF-8"]
        for part in 1...16 where part != 12 { names["iso-8859-\(part)"] = "ISO-8859-\(part)" }
        for page in 1250...1258 { names["windows-\(page)"] = "WINDOWS-\(page)" }
        // Windows writes GBK under the name of its older subset; GB18030 contains both.
        for name in ["gb2312", "gbk", "gb18030", "x-gbk", "cp936"] { names[name] = "GB18030" }
        for name in ["big5", "euc-jp", "euc-kr", "shift_jis", "koi8-r", "koi8-u"] { names[name] = name.uppercased() }
        return names
    }()

    /// - Returns: the name to give to libxml2; nil to let it tell UTF-16 by its byte order mark.
    static func name(of document: [UInt8]) throws(XMLError) -> String? {
        if document.starts(with: [0xFF, 0xFE]) || document.starts(with: [0xFE, 0xFF]) { return nil }
        if document.starts(with: [0xEF, 0xBB, 0xBF]) { return "UTF-8" }
        guard let declared = declared(in: document.prefix(256)) else { return "UTF-8" }
        guard let name = known[declared.lowercased()] else {
            throw .refused("the encoding \(declared) is not read")
        }
        return name
    }

    /// The value of `encoding` in `<?xml ... encoding="..." ... ?>`.
    private static func declared(in head: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: head, as: UTF8.self)
        guard text.hasPrefix("<?xml"), let end = text.firstRange(of: "?>"),
            let key = text[..<end.lowerBound].firstRange(of: "encoding")
        else { return nil }
        let value = text[key.upperBound..<end.lowerBound].drop {
            "= \t\r\n".unicodeScalars.contains($0.unicodeScalars.first ?? "x")
        }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return String(value.dropFirst().prefix { $0 != quote })
    }
}
