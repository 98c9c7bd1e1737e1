/// Why a source cannot be mounted, in words for the person who typed it.
package struct SourceError: Error, Sendable {
    package enum Kind: Sendable {
        case notFound, denied, unreachable, notAListing, other
    }

    /// Of the source, without secrets.
    package let address: String
    package let kind: Kind
    /// What went wrong, for example "the server answered 404 Not Found".
    package let reason: String
    /// What the person can do about it.
    package let advice: String
}
