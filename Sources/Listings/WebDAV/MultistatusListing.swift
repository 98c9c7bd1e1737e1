import HTTP
import XML

/// A `multistatus` (RFC 4918, 13): the directory that was asked for, and what lies directly in it.
struct MultistatusListing {
    private var listing: Listing
    /// The directory as the server spells it, to compare the entries with.
    private var directory: ListedPath
    private var isFirst = true
    private var isFile = false

    private static let slash = UInt8(ascii: "/")

    /// - Parameters:
    ///   - reader: at its root, which is a `multistatus`.
    ///   - url: the directory's.
    static func parse(_ reader: XMLReader, _ root: XMLElement, url: HTTPURL) throws(ListingError) -> ListingPage {
        var result = MultistatusListing(url: url)
        do throws(XMLError) {
            while let response = try reader.nextChild(of: root) {
                guard reader.isNamed("response", in: "DAV:") else { continue }
                result.add(try WebDAVResource(reader, response))
                if result.listing.isTooLarge { break }
            }
            if !result.listing.isTooLarge { try reader.finish() }
        } catch {
            throw ListingError(error)
        }
        if result.listing.isTooLarge { throw .tooLarge }
        if result.isFile { throw .notAListing("WebDAV says that it is a file") }
        result.listing.trim()
        return ListingPage(listing: result.listing, format: .webDAV)
    }

    private init(url: HTTPURL) {
        let path = url.isDirectory ? url.path : url.path + "/"
        directory = ListedPath(Array(path.utf8))
        listing = Listing(base: path)
    }

    private mutating func add(_ resource: WebDAVResource) {
        let path = path(of: resource.link)
        var relation = directory.relation(of: path)
        if isFirst, relation == .elsewhere || relation == .ancestor, resource.isCollection {
            // Behind a proxy that changes paths the server spells the directory, which comes first, in its own way.
            directory = ListedPath(path.last == Self.slash ? path : path + [Self.slash])
            relation = .itself
        }
        if isFirst, relation == .itself, !resource.isCollection, path.last != Self.slash { isFile = true }
        isFirst = false
        guard case .child(let nameStart) = relation, !resource.isRefused else { return }
        let hasSlash = path.last == Self.slash
        // As the server spelled it, under the URL that was asked for: the server's own may be of no use outside.
        let segment = hasSlash ? path[nameStart...].dropLast() : path[nameStart...]
        let name = PercentEncoding.decode(segment)
        let row = listing.insert(
            name: name, reference: name.elementsEqual(segment) ? .name : .segment(Array(segment)),
            kind: resource.isCollection || hasSlash ? .directory : .file)
        guard let row else { return }
        listing.merge(size: resource.size.map { .exact($0) } ?? .unknown, modified: resource.modified, into: row)
    }

    /// The raw path of a link, fit for a request, whatever host it names. A link is a path or URL without query, in which
    /// servers leave characters unescaped.
    private func path(of link: ArraySlice<UInt8>) -> [UInt8] {
        var rest = link
        let start = String(decoding: link.prefix(8), as: UTF8.self).lowercased()
        if start.hasPrefix("http://") || start.hasPrefix("https://") {
            rest = link.dropFirst(8).drop { $0 != Self.slash }
        }
        let escaped = RequestBytes.escapedPath(rest)[...]
        return escaped.first == Self.slash
            ? DotSegments.appending(escaped.dropFirst(), to: [Self.slash])
            : DotSegments.appending(escaped, to: directory.raw)
    }
}
