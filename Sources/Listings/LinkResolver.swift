import HTTP

/// Decides what a link of a listing is: a direct child of the listed directory, the way up, or something else.
///
/// Works on the bytes as served. Only the host and port of a link that names them are left to `HTTPURL`: it would change
/// the spelling of a path, which has to be requested exactly as the server wrote it.
struct LinkResolver {
    enum Target: Equatable {
        /// Name and reference are in `name` and `reference`.
        case entry(isDirectory: Bool)
        /// A directory above the listed one.
        case ancestor
        case itself
        /// Another tree, another scheme, something with a query.
        case other
    }

    /// The entry's name, percent-decoded once; not checked.
    private(set) var name: [UInt8] = []
    private(set) var reference = Listing.Reference.name

    private let url: HTTPURL
    private let allowsExternalLinks: Bool
    private let directory: ListedPath
    /// Where a listing that was asked for without the slash at its end has its entries.
    private let slashedDirectory: ListedPath?
    /// What relative links go from: an origin and a path that ends in "/".
    private var baseOrigin: Origin
    private var basePath: [UInt8]
    private var isBaseTheDirectory = true
    /// Absolute links of one page nearly all have the same origin.
    private var lastOrigin: (text: [UInt8], url: HTTPURL?) = ([], nil)

    init(url: HTTPURL, allowsExternalLinks: Bool) {
        self.url = url
        self.allowsExternalLinks = allowsExternalLinks
        let path = Array(url.path.utf8)
        directory = ListedPath(Self.directory(of: path))
        slashedDirectory = url.isDirectory ? nil : ListedPath(path + [Self.slash])
        baseOrigin = url.origin
        basePath = directory.raw
    }

    /// Bytes of a link or base: a bound for the work on each link. A name of 255 bytes takes 765 when all are escaped.
    private static let maximumLength = 2048

    /// Path of the listed directory, raw, ending in "/".
    var directoryPath: String { String(decoding: directory.raw, as: UTF8.self) }

    /// Takes `<base href>`.
    mutating func setBase(_ text: Span<UInt8>) {
        guard text.count <= Self.maximumLength else { return }
        let text = text.bytes[...].trimmed
        let end = text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        guard let (origin, path) = absolute(text[..<end]) else { return }
        baseOrigin = origin
        basePath = Self.directory(of: path)
        isBaseTheDirectory = baseOrigin == url.origin && basePath == directory.raw
    }

    mutating func resolve(_ text: Span<UInt8>) -> Target {
        guard text.count <= Self.maximumLength else { return .other }
        let text = text.bytes[...].trimmed
        // The first raw "#" or "?" ends the path, before anything is decoded.
        let end = text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        if end < text.endIndex, text[end] == UInt8(ascii: "?") { return .other }
        let link = text[..<end]
        guard let first = link.first else { return .other }
        if isBaseTheDirectory, first != UInt8(ascii: "."), !link.contains(UInt8(ascii: ":")),
            !link.dropLast().contains(Self.slash), first != Self.slash
        {
            return child(link, under: nil)
        }
        guard let (origin, path) = absolute(link) else { return .other }
        return origin == url.origin ? local(path) : external(path, origin)
    }

    /// A link to another page of the same listing: of the same origin and directory, mostly with another query.
    mutating func page(_ text: Span<UInt8>) -> HTTPURL? {
        guard text.count <= Self.maximumLength else { return nil }
        let link = text.bytes[...].trimmed.prefix { $0 != UInt8(ascii: "#") }
        let path = link.prefix { $0 != UInt8(ascii: "?") }
        let query = path.endIndex < link.endIndex ? link[(path.endIndex + 1)...] : nil
        let pageURL: HTTPURL
        if path.isEmpty {
            pageURL = url.replacing(path: isBaseTheDirectory ? url.path : String(decoding: basePath, as: UTF8.self))
        } else {
            guard let (origin, path) = absolute(path), origin == url.origin else { return nil }
            pageURL = url.replacing(path: String(decoding: RequestBytes.encoded(path[...]), as: UTF8.self))
        }
        guard Self.directory(of: Array(pageURL.path.utf8)) == directory.raw else { return nil }
        let page = pageURL.replacing(
            path: pageURL.path, query: query.map { String(decoding: RequestBytes.encoded($0), as: UTF8.self) })
        return page == url ? nil : page
    }

    /// A direct child of the directory is an entry.
    private mutating func local(_ path: [UInt8]) -> Target {
        for directory in [slashedDirectory, directory] {
            guard let directory else { continue }
            switch directory.relation(of: path) {
            case .child(let nameStart):
                let isSpelledAlike = directory == self.directory && path[..<nameStart].elementsEqual(directory.raw)
                return child(path[nameStart...], under: isSpelledAlike ? nil : path[..<nameStart])
            case .ancestor: return .ancestor
            case .itself: return .itself
            case .elsewhere: continue
            }
        }
        return .other
    }

    /// Another origin's resource is an entry, if those are allowed, under the last segment of its path.
    private mutating func external(_ path: [UInt8], _ origin: Origin) -> Target {
        let end = path.last == Self.slash ? path.count - 1 : path.count
        guard allowsExternalLinks, let slash = path[..<end].lastIndex(of: Self.slash), slash + 1 < end,
            let base = lastOrigin.url?.base, lastOrigin.url?.origin == origin
        else { return .other }
        return child(path[(slash + 1)...], under: Array(base.utf8)[...] + path[...slash])
    }

    /// - Parameters:
    ///   - segment: the last segment of a path, raw, with the slash of a directory.
    ///   - parent: what stands before it; nil for the spelling of the listing's own URL.
    private mutating func child(_ segment: ArraySlice<UInt8>, under parent: ArraySlice<UInt8>?) -> Target {
        let isDirectory = segment.last == Self.slash
        let raw = isDirectory ? segment.dropLast() : segment
        let isPlain = raw.allSatisfy { RequestBytes.mayStandRaw($0) && $0 != UInt8(ascii: "%") }
        name = isPlain ? Array(raw) : PercentEncoding.decode(raw)
        if let parent {
            reference = .whole(RequestBytes.encoded(parent) + RequestBytes.encoded(segment))
        } else {
            reference = isPlain ? .name : .segment(RequestBytes.encoded(raw))
        }
        return .entry(isDirectory: isDirectory)
    }

    /// Origin and path, without dot segments, of a link without query; nil if it has another scheme than http(s).
    private mutating func absolute(_ link: ArraySlice<UInt8>) -> (Origin, [UInt8])? {
        if let colon = Self.schemeEnd(of: link) {
            return withOrigin(scheme: link[..<colon], rest: link[(colon + 1)...])
        }
        if link.starts(with: [Self.slash, Self.slash]) {
            return withOrigin(scheme: Array(baseOrigin.scheme.utf8)[...], rest: link)
        }
        let isAbsolute = link.first == Self.slash
        return (
            baseOrigin,
            isAbsolute
                ? DotSegments.appending(link.dropFirst(), to: [Self.slash]) : DotSegments.appending(link, to: basePath)
        )
    }

    private mutating func withOrigin(scheme: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) -> (Origin, [UInt8])? {
        guard rest.starts(with: [Self.slash, Self.slash]) else { return nil }
        let authority = rest.dropFirst(2).prefix { $0 != Self.slash }
        let text = scheme + [UInt8(ascii: ":"), Self.slash, Self.slash] + authority
        if !text.elementsEqual(lastOrigin.text) {
            lastOrigin = (Array(text), try? HTTPURL.parse(String(decoding: text, as: UTF8.self)).url)
        }
        guard let origin = lastOrigin.url?.origin else { return nil }
        return (origin, DotSegments.appending(rest[authority.endIndex...].dropFirst(), to: [Self.slash]))
    }

    /// Where the colon of a scheme stands (RFC 3986, 3.1); nil for a link without one.
    private static func schemeEnd(of link: ArraySlice<UInt8>) -> Int? {
        guard let colon = link.firstIndex(of: UInt8(ascii: ":")), let first = link.first, isLetter(first) else {
            return nil
        }
        let isScheme = link[..<colon].allSatisfy {
            isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
        return isScheme ? colon : nil
    }

    private static let slash = UInt8(ascii: "/")

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// Up to and with the last slash.
    private static func directory(of path: [UInt8]) -> [UInt8] {
        path.lastIndex(of: slash).map { Array(path[...$0]) } ?? [slash]
    }
}
