import HTTP
import Listings

/// A directory's listing as a server gave it.
struct FetchedListing: Sendable {
    var listing: Listing
    /// Where it came from after redirects: links are relative to that.
    var base: HTTPURL
    var style: ListingStyle
    /// What the server says of how long it holds; nil: nothing.
    var freshness: Duration?
    /// With it the next request asks only for a changed listing; nil if the server gave no validator.
    var condition: ListingCondition?
}

/// The validator of a listing (RFC 9110, 13.1), as it is sent back.
struct ListingCondition: Hashable, Sendable {
    let name: String
    let value: String

    /// A date is no validator while it may still be the date of another change within the same second (RFC 9110, 8.8.2.2).
    init?(_ head: ResponseHead) {
        if let tag = head.entityTag {
            self.init(name: "If-None-Match", value: tag.isWeak ? "W/\(tag.opaque)" : tag.opaque)
        } else if let text = head.lastModifiedText, let modified = head.lastModified, let date = head.date,
            date > modified
        {
            self.init(name: "If-Modified-Since", value: text)
        } else {
            return nil
        }
    }

    private init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
