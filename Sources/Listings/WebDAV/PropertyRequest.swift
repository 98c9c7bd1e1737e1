/// The PROPFIND that lists a directory (RFC 4918, 9.1): the three properties that are used, of the directory and of what
/// lies directly in it. Never "allprop", which makes servers compute what nobody reads.
package enum PropertyRequest {
    package static let method = "PROPFIND"

    /// "Depth: infinity", which is meant where there is no such header, is refused by most servers.
    package static let headers: [(name: String, value: String)] = [
        ("Depth", "1"), ("Content-Type", "application/xml; charset=utf-8"),
    ]

    package static let body = Array(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:getcontentlength/><D:getlastmodified/></D:prop></D:propfind>

        """.utf8)
}
