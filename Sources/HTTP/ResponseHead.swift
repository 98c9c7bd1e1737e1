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
