/// One request as its caller wants it; redirects, credentials and connection matters are the client's business.
package struct Request: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        /// The listing of a WebDAV directory (RFC 4918, 9.1): a request with a body that changes nothing.
        case propfind = "PROPFIND"
    }

    /// What the request is for, which decides the connection it gets.
    package enum Purpose: Sendable {
        /// Listings, attributes: small, many at a time; HTTP/2 where the server has it.
        case metadata
        /// The same that nobody waits for yet: after all of them, before prefetch.
        case metadataAhead
        /// File data somebody waits for: HTTP/1.1.
        case demand
        /// File data nobody waits for yet: after every demand.
        case prefetch

        /// Whether it may share a connection.
        var isMetadata: Bool { self == .metadata || self == .metadataAhead }
    }

    package var method: Method
    package var url: HTTPURL
    package var purpose: Purpose
    /// Bytes asked for with a Range header, end exclusive. Never empty.
    package var range: Range<Int64>?
    /// A strong entity tag, sent as If-Match.
    package var ifMatch: String?
    /// Extra headers, for example Accept. Names and values were checked for CR, LF and NUL.
    package var headers: [(name: String, value: String)] = []
    /// Sent with POST and PROPFIND. It may hold secrets, so a redirect to another origin is refused; a POST that would not be
    /// sent again (301, 302, 303) has that as its answer.
    package var body: [UInt8] = []
    /// Whether the client asks again by itself: after passing faults, or over another connection than one that seems dead.
    /// Without that each request goes out once, over a connection of its own, and once more for each redirect it follows.
    package var isRepeated = true
    /// Whether a Content-Encoding that the server applied without being asked is undone (gzip, br, deflate).
    package var decodesContent = true
    /// Requests with the same key share the part of the host's connections that one resource may take
    /// (all but one), so that a stalled file leaves room for others. 0: no limit of its own.
    package var resource: UInt64 = 0

    package init(_ method: Method, _ url: HTTPURL, purpose: Purpose) {
        self.method = method
        self.url = url
        self.purpose = purpose
    }
}
