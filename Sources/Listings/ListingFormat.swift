/// What kind of listing an answer was.
package enum ListingFormat: Hashable, Sendable {
    case html
    case json
    /// An S3 bucket's; the directories below it have no page of their own and are asked for with `S3Bucket`.
    case s3(S3Bucket)
    /// The answer to a PROPFIND.
    case webDAV
}
