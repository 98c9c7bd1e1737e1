import HTTP
import Platform

/// An HTML page that lists a directory; tells it from the pages that do not.
enum HTMLListing {
    static func parse(
        _ body: [UInt8], charset: String?, url: HTTPURL, allowsExternalLinks: Bool
    ) throws(ListingError) -> ListingPage {
        let reader = HTMLListingReader(url: url, charset: charset, allowsExternalLinks: allowsExternalLinks)
        let page = try HTMLParser.parse(body, reader)
        let signs = page.signs
        let result = ListingPage(listing: page.listing, next: page.next, format: .html)
        if signs.isTitledAsListing || signs.looksLikeListing && page.listing.count > 0 { return result }
        if signs.asksForPassword { throw .notAListing("a login page: \(DisplayText.sanitized(signs.caption))") }
        if signs.isTitledAsError { throw .notAListing("an error page: \(DisplayText.sanitized(signs.caption))") }
        let isBlank = body.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard page.listing.count > 0 || signs.looksLikeListing || isBlank else {
            throw .notAListing("a page without entries: \(DisplayText.sanitized(signs.caption))")
        }
        return result
    }

    /// - Parameter start: the page's first bytes.
    static func isTitledAsListing(_ start: [UInt8], url: HTTPURL) -> Bool {
        let reader = HTMLListingReader(url: url, charset: nil, allowsExternalLinks: false)
        let page = try? HTMLParser.parse(Array(start.prefix(65536)), reader)
        return page?.signs.isTitledAsListing ?? false
    }
}
