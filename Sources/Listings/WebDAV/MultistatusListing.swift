import HTTP
import XML

/// A `multistatus` (RFC 4918, 13): the directory that was asked for, and what lies directly in it.
struct MultistatusListing {
    private var listing: Listing
    private let url: HTTPURL
    /// The directory as the server spells it, to compare the entries with.
    private var directory: ListedPath
    private var isFirst = true
    private var isFile = false

    /// What one `response` tells.
    private struct Row {
        var link: [UInt8] = []
        var isRefused = false
        var isCollection = false
        var size: Int64?
        var modified: Int64?

        mutating func take(_ other: Row) {
            isCollection = isCollection || other.isCollection
            size = size ?? other.size
            modified = modified ?? other.modified
        }
    }

    /// - Parameters:
    ///   - reader: at its root, which is a `multistatus`.
    ///   - url: the directory's.
    static func parse(_ reader: XMLReader, _ root: XMLElement, url: HTTPURL) throws(ListingError) -> ListingPage {
        var result = MultistatusListing(url: url)
        do throws(XMLError) {
            while let response = try reader.nextChild(of: root) {
                guard reader.isNamed("response", in: "DAV:") else { continue }
                result.add(try Self.row(reader, response))
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
        self.url = url
        let path = url.isDirectory ? url.path : url.path + "/"
        directory = ListedPath(Array(path.utf8))
        listing = Listing(base: path)
    }

    private mutating func add(_ row: Row) {
        let path = Self.path(of: row.link, base: directory.raw)
        var relation = directory.relation(of: path)
        if isFirst, relation == .elsewhere || relation == .ancestor, row.isCollection {
            // Behind a proxy that changes paths the server spells the directory, which comes first, in its own way.
            directory = ListedPath(path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")])
            relation = .itself
        }
        if isFirst, relation == .itself, !row.isCollection, path.last != UInt8(ascii: "/") { isFile = true }
        isFirst = false
        guard case .child(let nameStart) = relation, !row.isRefused else { return }
        let segment = path.last == UInt8(ascii: "/") ? path[nameStart...].dropLast() : path[nameStart...]
        let isDirectory = row.isCollection || segment.endIndex < path.endIndex
        // As the server spelled it, and under the URL that was asked for: what a proxy changed is of no use.
        let name = PercentEncoding.decode(segment)
        let reference: Listing.Reference = name.elementsEqual(segment) ? .name : .segment(Array(segment))
        guard let index = listing.insert(name: name, reference: reference, kind: isDirectory ? .directory : .file)
        else {
            return
        }
        listing.merge(size: row.size.map { .exact($0) } ?? .unknown, modified: row.modified, into: index)
    }

    /// The raw path of a link, whatever host it names, fit for a request. A link is a path or URL without query, but
    /// servers leave characters unescaped.
    private static func path(of link: [UInt8], base: [UInt8]) -> [UInt8] {
        var rest = link[...]
        if let mark = String(decoding: link.prefix(8), as: UTF8.self).lowercased().firstRange(of: "://"),
            ["http", "https"].contains(String(decoding: link.prefix(8), as: UTF8.self).lowercased()[..<mark.lowerBound])
        {
            rest = link.drop { $0 != UInt8(ascii: ":") }.dropFirst(3)
            rest = rest.drop { $0 != UInt8(ascii: "/") }
        }
        let escaped = RequestBytes.escapedPath(rest)[...]
        return escaped.first == UInt8(ascii: "/")
            ? DotSegments.appending(escaped.dropFirst(), to: [UInt8(ascii: "/")])
            : DotSegments.appending(escaped, to: base)
    }

    private static func row(_ reader: XMLReader, _ response: XMLElement) throws(XMLError) -> Row {
        var row = Row()
        while let child = try reader.nextChild(of: response) {
            if reader.isNamed("href", in: "DAV:") {
                row.link = Array(try reader.text(of: child).utf8.trimmingBlanks)
            } else if reader.isNamed("status", in: "DAV:") {
                row.isRefused = !isSuccess(try reader.text(of: child))
            } else if reader.isNamed("propstat", in: "DAV:") {
                if let found = try properties(reader, child) { row.take(found) }
            }
        }
        return row
    }

    /// - Returns: nil if these are properties that the resource does not have.
    private static func properties(_ reader: XMLReader, _ propstat: XMLElement) throws(XMLError) -> Row? {
        var row = Row()
        var isFound = true
        while let child = try reader.nextChild(of: propstat) {
            if reader.isNamed("status", in: "DAV:") {
                isFound = isSuccess(try reader.text(of: child))
            } else if reader.isNamed("prop", in: "DAV:") {
                while let property = try reader.nextChild(of: child) {
                    if reader.isNamed("resourcetype", in: "DAV:") {
                        while try reader.nextChild(of: property) != nil {
                            if reader.isNamed("collection", in: "DAV:") { row.isCollection = true }
                        }
                    } else if reader.isNamed("getcontentlength", in: "DAV:") {
                        row.size = SizeReader.integer(
                            Array(try reader.text(of: property).utf8.trimmingBlanks)[...])
                    } else if reader.isNamed("getlastmodified", in: "DAV:") {
                        row.modified = ListingDate.seconds(Array(try reader.text(of: property).utf8))
                    }
                }
            }
        }
        return isFound ? row : nil
    }

    /// A status line: "HTTP/1.1 200 OK".
    private static func isSuccess(_ status: String) -> Bool {
        status.split(separator: " ").dropFirst().first?.hasPrefix("2") ?? false
    }
}

extension Substring.UTF8View {
    fileprivate static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension String.UTF8View {
    /// XML may be indented.
    fileprivate var trimmingBlanks: Substring.UTF8View {
        var rest = self[...]
        while let first = rest.first, Substring.UTF8View.isBlank(first) { rest.removeFirst() }
        while let last = rest.last, Substring.UTF8View.isBlank(last) { rest.removeLast() }
        return rest
    }
}
