/// The media type of a file by its name, from a table in the format of `/etc/mime.types`. Content is never looked at:
/// what a type is worth is for the server to find out.
package struct MediaTypes: Sendable {
    /// For names the table does not know.
    package static let unknown = "application/octet-stream"

    private var types: [String: String] = [:]

    /// - Parameter text: a type and its suffixes on each line, "#" begins a comment. Of two types for one suffix the
    ///   first counts; a word that is no media type is skipped with its line.
    package init(text: String) {
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let fields = line.prefix { $0 != UInt8(ascii: "#") }
                .split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard let type = fields.first, Self.isMediaType(type) else { continue }
            for suffix in fields.dropFirst() {
                let suffix = String(decoding: suffix, as: UTF8.self)
                types[suffix] = types[suffix] ?? String(decoding: type, as: UTF8.self)
            }
        }
    }

    /// The type for the longest known suffix of the name ("x.tar.gz": "tar.gz" before "gz"), as it is written before in
    /// lower case.
    package func type(of name: String) -> String {
        var rest = Substring(name)
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let type = types[String(rest)] ?? types[rest.lowercased()] { return type }
        }
        return Self.unknown
    }

    /// `token/token` of RFC 9110, so that it fits into a header.
    private static func isMediaType(_ text: Substring.UTF8View) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isTokenByte) }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$&-^_.+'*%`|~".utf8.contains(byte)
        }
    }
}
