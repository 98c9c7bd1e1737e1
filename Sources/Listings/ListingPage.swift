package import HTTP

/// What one answer tells of a directory: its entries, or those of one page of it.
package struct ListingPage: Sendable {
    package var listing: Listing
    /// What to ask for to get more of the entries: a GET with the same headers. nil: these were the last. Always of the
    /// origin that answered.
    package var next: HTTPURL?
    /// Who answered, so that the directories below can be asked in its own way.
    package var format: ListingFormat

    init(listing: Listing, next: HTTPURL? = nil, format: ListingFormat) {
        self.listing = listing
        self.next = next
        self.format = format
    }
}
