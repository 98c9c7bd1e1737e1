import Listings

/// How a directory is asked for. Those below it are asked for in the same way.
enum ListingStyle: Hashable, Sendable {
    /// A GET of its own URL.
    case page
    /// `ListObjectsV2`
    case s3(S3Bucket)
    /// A PROPFIND.
    case webDAV
}
