/// The start tags of an XML document or HTML page, one after the other, read just closely enough to tell an error
/// document or a login page. Each byte is looked at once or twice, whatever the text is.
struct MarkupTags: Sequence, IteratorProtocol {
    struct Tag {
        /// Without its prefix, in lower case.
        let name: String
        let attributes: String
        /// What stands between this tag and the next one, or the end of the element.
        let text: String
    }

    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    mutating func next() -> Tag? {
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if skip(from: "<!--", past: "-->") || skip(from: "<?", past: "?>") || skip(from: "<!", past: ">")
                || skip(from: "</", past: ">")
            {
                continue
            }
            rest.removeFirst()
            let content = rest.prefix { $0 != UInt8(ascii: ">") }
            let name = content.prefix { !Self.isSpace($0) && $0 != UInt8(ascii: "/") }
            rest = rest[content.endIndex...].dropFirst()
            guard !name.isEmpty else { continue }
            return Tag(
                name: Self.string(name.split(separator: UInt8(ascii: ":")).last ?? name).lowercased(),
                attributes: Self.string(content[name.endIndex...]),
                text: Self.unescaped(Self.string(rest.prefix { $0 != UInt8(ascii: "<") })))
        }
        return nil
    }

    private mutating func skip(from start: String, past end: String) -> Bool {
        guard rest.starts(with: start.utf8) else { return false }
        while !rest.isEmpty, !rest.starts(with: end.utf8) { rest.removeFirst() }
        rest = rest.dropFirst(end.utf8.count)
        return true
    }

    private static func string(_ bytes: Substring.UTF8View) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}

extension MarkupTags.Tag {
    /// `<input type=password>` in any spelling.
    var isPasswordField: Bool {
        name == "input"
            && attributes.lowercased().filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }.contains("type=password")
    }
}
