/// The checked head of a final answer (after redirects): status and the fields this program decides by.
package struct ResponseHead: Sendable {
    package var status: Int
    /// Where the answer came from, after redirects.
    package var url: HTTPURL
    /// The one agreed Content-Length. nil if absent. Contradictory or invalid ones never get here (`TransferError.badHead`).
    package var contentLength: Int64?
    package var contentRange: ContentRange
    package var entityTag: EntityTag?
    /// Seconds since 1970, from Last-Modified. nil if absent, unreadable, or not believable (before 1970-01-02 or more
    /// than a day in the future).
    package var lastModified: Int64?
    /// Last-Modified as the server wrote it, to be sent back as If-Modified-Since; nil where `lastModified` is.
    package var lastModifiedText: String?
    /// Date header, seconds since 1970.
    package var date: Int64?
    /// nil if the header is absent; true for "bytes", false for "none".
    package var acceptsRanges: Bool?
    /// Lower case, without "identity"; for example ["gzip"].
    package var contentEncodings: [String]
    /// Lower case, without parameters; for example "text/html".
    package var mediaType: String?
    /// The charset parameter of Content-Type, lower case.
    package var charset: String?
    /// File name from Content-Disposition by RFC 6266 (filename* before filename), not yet made safe.
    package var suggestedName: String?
    /// From Cache-Control (max-age, no-store, no-cache) or Expires: how long the answer may be believed. nil: not said.
    package var freshness: Duration?
    package var isNoStore: Bool
    /// Server header: which program answered, as far as it says so.
    package var server: String?
    /// Whether the answer has a DAV header (RFC 4918, 10.1): the resource knows PROPFIND.
    package var offersDAV = false
    /// From Retry-After (seconds or date).
    package var retryAfter: Duration?

    package init(status: Int, url: HTTPURL) {
        self.status = status
        self.url = url
        contentRange = .absent
        contentEncodings = []
        isNoStore = false
    }
}

extension ResponseHead {
    /// The longest Retry-After that is believed, in seconds.
    private static let longestRetryAfter: Int64 = 3600
    /// The longest freshness that is believed: a year (RFC 9111, 5.3).
    private static let longestFreshness: Int64 = 31_536_000

    /// Checks what a server said.
    /// - Parameters:
    ///   - url: where the answer came from.
    ///   - now: seconds since 1970, to judge dates by.
    init(_ parser: HeadParser, url: HTTPURL, now: Int64) throws(TransferError) {
        if let failure = parser.failure { throw .badHead(failure) }
        guard parser.isComplete else { throw .badHead("it was cut off") }
        self.init(status: parser.status, url: url)
        contentLength = try Self.contentLength(parser)
        contentRange = Self.contentRange(parser)
        entityTag = parser.value("etag").flatMap { EntityTag(header: $0) }
        date = parser.value("date").flatMap(HTTPDate.parse)
        lastModified = parser.value("last-modified").flatMap(HTTPDate.parse).flatMap { date in
            (86_400...now + 86_400).contains(date) ? date : nil
        }
        lastModifiedText = lastModified == nil ? nil : parser.value("last-modified")
        server = parser.value("server")
        offersDAV = !parser.values("dav").isEmpty
        let units = parser.list("accept-ranges").map { $0.lowercased() }
        acceptsRanges = units.contains("bytes") ? true : units.contains("none") ? false : nil
        contentEncodings = parser.list("content-encoding").map { $0.lowercased() }.filter { $0 != "identity" }
        if let type = parser.value("content-type").map(HeaderParameters.init), !type.value.isEmpty {
            mediaType = type.value.lowercased()
            charset = type["charset"]?.lowercased()
        }
        suggestedName = parser.value("content-disposition").flatMap { HeaderParameters($0).fileName }
        retryAfter = parser.value("retry-after").flatMap { Self.retryAfter($0, now: date ?? now) }
        let control = CacheControl(parser.values("cache-control").joined(separator: ","))
        isNoStore = control.isNoStore
        freshness = Self.freshness(parser, control, date: date ?? now)
    }

    /// RFC 9112, 6.3: several different lengths, or one that is no number, make the message unusable. With chunks, a
    /// length means nothing.
    private static func contentLength(_ parser: HeadParser) throws(TransferError) -> Int64? {
        if parser.list("transfer-encoding").contains(where: { $0.lowercased() == "chunked" }) { return nil }
        if parser.values("content-length").isEmpty { return nil }
        let texts = Set(parser.list("content-length"))
        guard let text = texts.first else { throw .badHead("Content-Length is empty") }
        guard texts.count == 1 else { throw .badHead("contradictory Content-Length") }
        guard let length = HeaderNumber.parse(text), length < .max else {
            throw .badHead("Content-Length is not a usable number")
        }
        return length
    }

    private static func contentRange(_ parser: HeadParser) -> ContentRange {
        let ranges = Set(parser.values("content-range").map { ContentRange(header: $0) })
        return ranges.count > 1 ? .invalid : ranges.first ?? .absent
    }

    private static func retryAfter(_ text: String, now: Int64) -> Duration? {
        let seconds = HeaderNumber.parse(text) ?? HTTPDate.parse(text).map { max($0 - now, 0) }
        return seconds.map { .seconds(min($0, longestRetryAfter)) }
    }

    /// RFC 9111, 4.2.1: max-age, else Expires against Date; less what a cache on the way has used up. An Expires that is no
    /// date means "already past".
    private static func freshness(_ parser: HeadParser, _ control: CacheControl, date: Int64) -> Duration? {
        if control.isNoCache || control.isNoStore { return .zero }
        let lifetime =
            control.maximumAge ?? parser.value("expires").map { HTTPDate.parse($0).map { $0 - date } ?? 0 }
        guard let lifetime else { return nil }
        let age = parser.value("age").flatMap { HeaderNumber.parse($0) } ?? 0
        let bounded = min(max(lifetime, 0), longestFreshness)
        return .seconds(bounded - min(age, bounded))
    }
}
