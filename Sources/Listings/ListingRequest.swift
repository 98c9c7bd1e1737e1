/// How a directory is asked for with a GET.
package enum ListingRequest {
    /// The value of the Accept header.
    /// - Parameter server: the Server header of an earlier answer of the same origin; nil if there was none. Caddy gives
    ///   exact sizes and dates as JSON to who asks. Others are not asked: a site may answer JSON that is no listing.
    package static func accept(server: String?) -> String {
        let html = "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.5"
        return server?.lowercased().hasPrefix("caddy") == true ? "application/json, \(html)" : html
    }
}
