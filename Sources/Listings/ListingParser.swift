package import HTTP

/// Turns the bytes of an answer into a directory's entries; chooses the parser by what the answer is.
package enum ListingParser {
    /// Whether an answer of this type can be a listing at all, so that its body is worth having.
    package static func mayBeListing(mediaType: String?) -> Bool {
        ["text/html", "application/xhtml+xml"].contains(mediaType ?? "")
    }

    /// Whether the answer to a URL without "/" at its end is a listing all the same.
    package static func isListing(_ body: [UInt8], mediaType: String?, url: HTTPURL) -> Bool {
        guard mayBeListing(mediaType: mediaType) else { return false }
        return
            (try? HTMLListing.parse(body, charset: nil, url: url, allowsExternalLinks: false, isCertain: false)) != nil
    }

    /// CPU work, bounded by the size of `body`.
    /// - Parameters:
    ///   - url: where the answer came from, after redirects: the base of its links.
    ///   - allowsExternalLinks: files on other hosts are entries too.
    package static func parse(
        _ body: [UInt8], mediaType: String?, charset: String?, url: HTTPURL, allowsExternalLinks: Bool
    ) throws(ListingError) -> Listing {
        guard mediaType == nil || mayBeListing(mediaType: mediaType) else {
            throw .notAListing("its type is \(mediaType ?? "unknown")")
        }
        return try HTMLListing.parse(
            body, charset: charset, url: url, allowsExternalLinks: allowsExternalLinks, isCertain: true)
    }
}
