/// One part of a received form.
package struct FormPart: Sendable {
    /// The header lines exactly as they came, without the empty line after them.
    package var head: String
    package var name: String
    /// As it stands between the quotes, not unescaped; nil for a text field.
    package var fileName: String?
    /// The value of Content-Type, nil if there is none.
    package var mediaType: String?
    /// The bytes of the content in all.
    package var size: Int64 = 0
    /// Of the content, in lower-case hexadecimal digits; empty if the target does not digest.
    package var sha256 = ""
    /// The content's first bytes, as many as the target keeps.
    package var content: [UInt8] = []

    /// The kept content as text.
    package var text: String { String(decoding: content, as: UTF8.self) }
}

extension FormPart {
    /// Reads the header lines of a part as browsers write them, and nothing else.
    init(head bytes: [UInt8]) throws(FormReader.Flaw) {
        // A name that is not UTF-8 would not survive the way through a String.
        guard let head = String(validating: bytes, as: UTF8.self) else {
            throw FormReader.Flaw("a part's head is not UTF-8")
        }
        self.init(head: head, name: "")
        var lines = head.components(separatedBy: "\r\n")[...]
        guard let disposition = lines.popFirst(), let names = Self.names(disposition) else {
            throw FormReader.Flaw("no plain Content-Disposition: \(head)")
        }
        (name, fileName) = names
        if let line = lines.popFirst() {
            let prefix = "Content-Type: "
            guard line.hasPrefix(prefix), fileName != nil else { throw FormReader.Flaw("odd line in a part: \(line)") }
            mediaType = String(line.dropFirst(prefix.count))
        }
        if let line = lines.popFirst() { throw FormReader.Flaw("odd line in a part: \(line)") }
    }

    private static func names(_ line: String) -> (name: String, fileName: String?)? {
        let prefix = "Content-Disposition: form-data; name=\""
        guard line.hasPrefix(prefix), line.hasSuffix("\"") else { return nil }
        let quoted = line.dropFirst(prefix.count).dropLast().components(separatedBy: "\"; filename=\"")
        guard quoted.count <= 2, quoted.allSatisfy({ !$0.contains("\"") && !$0.contains("\n") }) else { return nil }
        return (quoted[0], quoted.count == 2 ? quoted[1] : nil)
    }
}

extension StringProtocol {
    /// Foundation's splitting by a string, which this target does not import. By bytes: to Swift CR LF is one character.
    fileprivate func components(separatedBy separator: String) -> [String] {
        let (text, separator) = (Array(utf8), Array(separator.utf8))
        var (parts, start, index) = ([String](), 0, 0)
        while index + separator.count <= text.count {
            if text[index..<index + separator.count].elementsEqual(separator) {
                parts.append(String(decoding: text[start..<index], as: UTF8.self))
                index += separator.count
                start = index
            } else {
                index += 1
            }
        }
        return parts + [String(decoding: text[start...], as: UTF8.self)]
    }
}
