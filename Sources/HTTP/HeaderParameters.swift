/// A header value with parameters: `value; name=token; name="quoted \" text"` (RFC 9110, 5.6.6). Reads what servers really
/// send: spaces around "=" and unquoted values with spaces.
struct HeaderParameters {
    /// What stands before the first ";".
    let value: String
    private var parameters: [(name: String, value: String)] = []
    private static let maximumParameters = 32

    init(_ text: String) {
        var rest = Substring(text).unicodeScalars
        value = String(Self.trimmed(Self.take(from: &rest) { $0 == ";" }))
        while !rest.isEmpty, parameters.count < Self.maximumParameters {
            rest = rest.drop { $0 == ";" || Self.isSpace($0) }
            let name = Self.trimmed(Self.take(from: &rest) { $0 == "=" || $0 == ";" })
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop(while: Self.isSpace)
            let value =
                rest.first == "\""
                ? Self.quoted(&rest) : String(Self.trimmed(Self.take(from: &rest) { $0 == ";" }))
            parameters.append((String(name).lowercased(), value))
        }
    }

    /// The first parameter of that name (lower case).
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The name that Content-Disposition suggests: `filename*` (RFC 8187) before `filename`; the last path component only.
    var fileName: String? {
        guard let name = self["filename*"].flatMap(Self.extended) ?? self["filename"] else { return nil }
        return name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last.map { String($0) }
    }

    private typealias Scalars = Substring.UnicodeScalarView

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private static func take(from rest: inout Scalars, until isEnd: (Unicode.Scalar) -> Bool) -> Scalars {
        let taken = rest.prefix { !isEnd($0) }
        rest = rest[taken.endIndex...]
        return taken
    }

    private static func trimmed(_ scalars: Scalars) -> Scalars {
        var rest = scalars.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest = rest.dropLast() }
        return rest
    }

    private static func quoted(_ rest: inout Scalars) -> String {
        rest = rest.dropFirst()
        var result = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let next = rest.popFirst() { result.append(next) } else { result.append(scalar) }
        }
        return String(result)
    }

    /// `UTF-8'en'na%C3%AFve.txt`
    private static func extended(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = PercentEncoding.decode(Array(parts[2].utf8)[...])
        switch parts[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
