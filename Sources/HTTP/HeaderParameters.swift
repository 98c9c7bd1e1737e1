import Platform

/// A header value with parameters: `value; name=token; name="quoted \" text"` (RFC 9110, 5.6.6).
struct HeaderParameters {
    let value: String
    private var parameters: [(name: String, value: String)] = []

    init(_ text: String) {
        var rest = Substring(text)
        value = String(rest.prefix { $0 != ";" }).filter { $0 != " " }
        rest = rest.dropFirst(rest.prefix { $0 != ";" }.count)
        while !rest.isEmpty, parameters.count < 32 {
            rest = rest.drop { $0 == ";" || $0 == " " || $0 == "\t" }
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            let value = rest.first == "\"" ? Self.quoted(&rest) : Self.token(&rest)
            parameters.append((name.lowercased().filter { $0 != " " }, value))
        }
    }

    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The name that Content-Disposition suggests: `filename*` (RFC 8187) before `filename`; the last path component only.
    var fileName: String? {
        let name = self["filename*"].flatMap(Self.extended) ?? self["filename"]
        let base = name?.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init)
        return base.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func token(_ rest: inout Substring) -> String {
        let token = rest.prefix { $0 != ";" && $0 != " " }
        rest = rest.dropFirst(token.count)
        return String(token)
    }

    private static func quoted(_ rest: inout Substring) -> String {
        rest = rest.dropFirst()
        var result = ""
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", let next = rest.popFirst() { result.append(next) } else { result.append(character) }
        }
        return result
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
