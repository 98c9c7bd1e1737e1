package import HTTP

/// Joins the pages of one directory's listing. Pure: its user sends the requests.
package struct PagedListing: Sendable {
    /// All entries so far; those of the directory once `append` returned nil.
    package private(set) var listing = Listing(base: "")

    /// The pages asked for, the first included.
    private var asked: Set<HTTPURL>

    /// A server gives 1 000 entries a page (S3), some fewer; the listing's own limit ends the others.
    private static let maximumPages = 10_000

    /// - Parameter url: what was asked for first.
    package init(first url: HTTPURL) { asked = [url] }

    /// Takes the answer to the last request.
    /// - Returns: what to ask for next; nil: the listing is complete.
    /// - Throws: `tooLarge`, or `malformed` where a page leads to one that was read already.
    package mutating func append(_ page: ListingPage) throws(ListingError) -> HTTPURL? {
        if listing.count == 0 {
            let skipped = listing.skipped
            listing = page.listing
            listing.skipped += skipped
        } else {
            listing.append(contentsOf: page.listing)
        }
        guard !listing.isTooLarge else { throw .tooLarge }
        guard let next = page.next else {
            listing.trim()
            return nil
        }
        guard asked.count < Self.maximumPages else { throw .tooLarge }
        guard asked.insert(next).inserted else { throw .malformed("its pages lead in a circle") }
        return next
    }
}
