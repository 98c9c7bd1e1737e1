package import HTTP
import Platform
import XML

/// Reads the listing of a directory, whatever format it has. Pure; for the work thread: 100 000 entries take 0.2 s as lines
/// of HTML or as JSON, up to 0.6 s as a table or XML.
package enum ListingParser {
    /// - Parameters:
    ///   - body: all of an answer with status 200, or 207 to a PROPFIND. The caller bounds its length (64 MiB).
    ///   - mediaType: of the Content-Type header, parameters are ignored; nil if there was none.
    ///   - charset: of the Content-Type header; nil if it named none.
    ///   - url: the final URL, after redirects: the base of the links.
    ///   - allowsExternalLinks: whether links to other origins become entries.
    /// - Throws: `notAListing` also for a login or error page sent with status 200, and for a page with neither an entry
    ///   nor a sign of a listing. An empty page is an empty directory.
    package static func parse(
        _ body: [UInt8], mediaType: String?, charset: String?, url: HTTPURL, allowsExternalLinks: Bool
    ) throws(ListingError) -> ListingPage {
        switch Markup.recognise(mediaType: mediaType, body: body) {
        case .html:
            return try HTMLListing.parse(body, charset: charset, url: url, allowsExternalLinks: allowsExternalLinks)
        case .json:
            let listing = try JSONListing.parse(
                body, charset: charset, url: url, allowsExternalLinks: allowsExternalLinks)
            return ListingPage(listing: listing, format: .json)
        case .xml: return try xml(body, url: url)
        case nil:
            throw .notAListing("no known listing, its type is \(DisplayText.sanitized(mediaType ?? "not given"))")
        }
    }

    /// Whether an answer of this type may be a listing although its URL does not end in "/", so that its body is worth
    /// having.
    package static func mayBeListing(mediaType: String?) -> Bool {
        switch Markup.recognise(mediaType: mediaType, body: []) {
        case .html, .xml: true
        case .json: false
        case nil: mediaType == nil
        }
    }

    /// Whether an answer is certainly a listing, for a URL that does not end in "/". An HTML page must say so in its title
    /// or heading: any other page is a file like all others. JSON never says so.
    /// - Parameters:
    ///   - start: the first bytes of the body; 4 KiB are enough.
    ///   - mediaType: as for `parse`.
    package static func isListing(_ start: [UInt8], mediaType: String?, url: HTTPURL) -> Bool {
        switch Markup.recognise(mediaType: mediaType, body: start) {
        case nil, .json: return false
        case .html: return HTMLListing.isTitledAsListing(start, url: url)
        case .xml:
            guard let reader = try? XMLReader(start), (try? reader.root()) != nil else { return false }
            return reader.isNamed("ListBucketResult", in: nil) || reader.isNamed("multistatus", in: "DAV:")
        }
    }

    private static func xml(_ body: [UInt8], url: HTTPURL) throws(ListingError) -> ListingPage {
        let reader: XMLReader
        let root: XMLElement
        do throws(XMLError) {
            reader = try XMLReader(body, limits: XMLLimits(size: .max, depth: 32))
            root = try reader.root()
        } catch {
            throw ListingError(error)
        }
        if reader.isNamed("multistatus", in: "DAV:") { return try MultistatusListing.parse(reader, root, url: url) }
        if reader.isNamed("ListBucketResult", in: nil) { return try S3Listing.parse(reader, root, url: url) }
        if reader.isNamed("Error", in: nil) { throw .notAListing(S3Failure.words(reader, root)) }
        throw .notAListing("an XML document, \(DisplayText.sanitized(reader.localName))")
    }
}
