import CCurl
package import Platform

/// An absolute http or https URL, parsed and normalised by libcurl; never with userinfo or fragment.
package struct HTTPURL: Hashable, Sendable, CustomStringConvertible {
    package let origin: Origin
    /// Raw, percent-encoded, begins with "/".
    package let path: String
    /// Raw, without "?"; nil if there is none.
    package let query: String?

    /// Reads what a user or a server wrote. Raw UTF-8 and spaces are percent-encoded for the request.
    /// - Returns: the URL, and the userinfo that stood in it.
    package static func parse(_ text: String) throws(URLError) -> (url: HTTPURL, credentials: Credentials?) {
        try URLHandle().read(text)
    }

    /// A reference (RFC 3986) against this URL.
    /// - Returns: nil if the result is not http(s) or cannot be read. Userinfo is dropped.
    package func resolving(_ reference: String) -> HTTPURL? {
        // RFC 3986, 5.2.2: nothing but a fragment is this very document; libcurl would drop the last segment and query.
        if reference.isEmpty || reference.hasPrefix("#") { return self }
        guard let handle = try? URLHandle(), (try? handle.read(text)) != nil else { return nil }
        return (try? handle.read(reference))?.url
    }

    /// A raw request reference as a listing keeps it: a path with query of this origin, or a whole URL.
    package func resolving(reference: String) -> HTTPURL? {
        guard reference.hasPrefix("/"), !reference.hasPrefix("//") else { return resolving(reference) }
        guard let mark = reference.firstIndex(of: "?") else { return replacing(path: reference) }
        return replacing(path: String(reference[..<mark]), query: String(reference[reference.index(after: mark)...]))
    }

    fileprivate init(origin: Origin, path: String, query: String?) {
        self.origin = origin
        self.path = path
        self.query = query
    }

    /// The same origin with another raw request path (percent-encoded, begins with "/") and query.
    package func replacing(path: String, query: String? = nil) -> HTTPURL {
        HTTPURL(origin: origin, path: path, query: query)
    }

    /// What is requested. Never holds userinfo.
    package var text: String { base + target }

    /// Path and query, as in the request line.
    package var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// Scheme, host and, unless it is the scheme's own, port.
    package var base: String {
        let isDefault = origin.port == (origin.scheme == "https" ? 443 : 80)
        return "\(origin.scheme)://\(origin.host)" + (isDefault ? "" : ":\(origin.port)")
    }

    /// For people, logs and xattrs: query values (signatures, tokens) are hidden, keys stay.
    package var masked: String {
        guard let query else { return base + path }
        let keys = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            pair.firstIndex(of: "=").map { "\(pair[..<$0])=…" } ?? "…"
        }
        return "\(base)\(path)?\(keys.joined(separator: "&"))"
    }

    package var description: String { masked }

    /// Whether the path ends in "/".
    package var isDirectory: Bool { path.hasSuffix("/") }

    /// The last path segment, percent-decoded once; nil if it is empty or not a valid name.
    package var lastComponent: FileName? {
        let segment = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
        let name = FileName(bytes: PercentEncoding.decode(segment[...]))
        return name.isValid ? name : nil
    }
}

/// Why a text is no URL that can be requested.
package enum URLError: Error, Hashable, Sendable, CustomStringConvertible {
    case forbiddenCharacter
    case unsupportedScheme(String)
    case malformed(String)

    package var description: String {
        switch self {
        case .forbiddenCharacter: "it holds a control character"
        case .unsupportedScheme(let scheme): "the scheme \"\(scheme)\" is not http or https"
        case .malformed(let reason): reason
        }
    }
}

/// User name and password. No description: they never reach a message by accident.
package struct Credentials: Hashable, Sendable {
    package let user: String
    package let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// One `CURLU`, which resolves what it is given against what it was given before.
private struct URLHandle: ~Copyable {
    // SAFETY: owned by this value, freed once in deinit, never handed out.
    private let handle: OpaquePointer

    init() throws(URLError) {
        guard let handle = curl_url() else { throw .malformed("out of memory") }
        self.handle = handle
    }

    deinit { curl_url_cleanup(handle) }

    func read(_ text: String) throws(URLError) -> (url: HTTPURL, credentials: Credentials?) {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .forbiddenCharacter }
        let code = curl_url_set(handle, CURLUPART_URL, Self.encoded(text), UInt32(CURLU_NON_SUPPORT_SCHEME))
        guard code == CURLUE_OK else { throw .malformed(String(cString: curl_url_strerror(code))) }
        guard let scheme = part(CURLUPART_SCHEME)?.lowercased(), scheme == "http" || scheme == "https" else {
            throw .unsupportedScheme(part(CURLUPART_SCHEME) ?? "")
        }
        guard let host = part(CURLUPART_HOST)?.lowercased(), !host.isEmpty,
            let port = part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap({ Int($0) })
        else { throw .malformed("it names no host") }
        let path = part(CURLUPART_PATH) ?? "/"
        let url = HTTPURL(
            origin: Origin(scheme: scheme, host: host, port: port),
            path: path.hasPrefix("/") ? path : "/" + path, query: part(CURLUPART_QUERY))
        guard part(CURLUPART_USER) != nil else { return (url, nil) }
        // Decoding fails where a control character would come out.
        let decodes = UInt32(CURLU_URLDECODE)
        guard let user = part(CURLUPART_USER, decodes),
            let password = part(CURLUPART_PASSWORD) == nil ? "" : part(CURLUPART_PASSWORD, decodes)
        else { throw .malformed("the user name or password cannot be read") }
        return (url, Credentials(user: user, password: password))
    }

    /// Spaces and raw UTF-8 of path and query as `%XX`; those of a host are libcurl's to translate.
    private static func encoded(_ text: String) -> String {
        let start = endOfAuthority(text)
        return text[..<start]
            + text[start...].utf8.reduce(into: "") { result, byte in
                if byte > 0x20, byte < 0x80 {
                    result.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    result += PercentEncoding.encodeSegment([byte])
                }
            }
    }

    /// Where path, query or fragment begin in a URL or a reference to one (RFC 3986, 4.1).
    private static func endOfAuthority(_ text: String) -> String.Index {
        var start = text.startIndex
        if text.hasPrefix("//") {
            start = text.index(start, offsetBy: 2)
        } else if let mark = text.firstRange(of: "://"),
            text[..<mark.lowerBound].utf8.allSatisfy({ "+-.".utf8.contains($0) || Self.isAlphanumeric($0) })
        {
            start = mark.upperBound
        } else {
            return start
        }
        return text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    private func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
