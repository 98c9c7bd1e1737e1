/// The Cache-Control header of an answer (RFC 9111, 5.2.2), all its fields joined.
struct CacheControl: Hashable, Sendable {
    /// Must not be kept beyond this use.
    private(set) var isNoStore = false
    /// Must be asked for again before each use.
    private(set) var isNoCache = false
    /// nil if there is none; an unreadable one counts as 0: the answer is stale.
    private(set) var maximumAge: Int64?

    init(_ text: String) {
        for directive in Self.directives(text) {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard let name = parts.first?.lowercased().filter({ $0 != " " && $0 != "\t" }) else { continue }
            switch name {
            case "no-store": isNoStore = true
            // no-cache="field" asks for less; taking it for all is on the safe side.
            case "no-cache": isNoCache = true
            case "max-age" where maximumAge == nil:
                let value = parts.count > 1 ? parts[1].filter { $0 != "\"" && $0 != " " && $0 != "\t" } : ""
                maximumAge = HeaderNumber.parse(value) ?? 0
            default: break
            }
        }
    }

    /// Splits at commas outside quotes.
    private static func directives(_ text: String) -> [Substring] {
        var isQuoted = false
        var isEscaped = false
        return text.unicodeScalars.split { scalar in
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = isQuoted
            } else if scalar == "\"" {
                isQuoted.toggle()
            }
            return scalar == "," && !isQuoted
        }.map(Substring.init)
    }
}
