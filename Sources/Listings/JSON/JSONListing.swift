import HTTP

/// Listings of nginx (`autoindex_format json`) and Caddy (`Accept: application/json`): an array of objects, one an entry.
///
/// nginx gives `name`, `type`, `mtime` and, of files, `size`; Caddy `name`, `url` (a link, relative), `size`, `mod_time`,
/// `is_dir` and `is_symlink`. Where a link is given, it is what counts: the name may have lost its bytes.
struct JSONListing {
    private var listing: Listing
    private var resolver: LinkResolver
    private let decoder: CharsetDecoder?

    /// One object of the array.
    private struct Row {
        var name: [UInt8]?
        var link: [UInt8]?
        var kind: ListingEntry.Kind?
        var size: Int64?
        var modified: Int64?
        /// The size may be the link's own, and not that of what it leads to.
        var isLink = false

        /// A name alone may be anything's.
        var isEntry: Bool { name != nil && (kind != nil || size != nil || modified != nil || link != nil) }
    }

    static func parse(
        _ body: [UInt8], charset: String?, url: HTTPURL, allowsExternalLinks: Bool
    ) throws(ListingError) -> Listing {
        var parser = JSONListing(url: url, charset: charset, allowsExternalLinks: allowsExternalLinks)
        var reader = JSONReader(body)
        guard try reader.kind() == .array else { throw .notAListing("JSON, but not a list") }
        try reader.beginArray()
        while try reader.hasElement() {
            guard try reader.kind() == .object else { throw .notAListing("JSON, but not a list of files") }
            try parser.add(Self.row(&reader))
        }
        try reader.finish()
        parser.listing.trim()
        return parser.listing
    }

    private init(url: HTTPURL, charset: String?, allowsExternalLinks: Bool) {
        resolver = LinkResolver(url: url, allowsExternalLinks: allowsExternalLinks)
        listing = Listing(base: resolver.directoryPath)
        decoder = charset.flatMap { CharsetDecoder(charset: $0) }
    }

    private mutating func add(_ row: Row) throws(ListingError) {
        guard row.isEntry, var name = row.name else { throw .notAListing("JSON, but not a list of files") }
        var kind = row.kind ?? .unknown
        var reference: Listing.Reference
        if let link = row.link {
            guard case .entry(let isDirectory) = resolver.resolve(link.span) else { return }
            (name, reference) = (resolver.name, resolver.reference)
            if isDirectory { kind = .directory }
        } else {
            if name.last == UInt8(ascii: "/") {
                name.removeLast()
                kind = .directory
            }
            reference = .named(name)
        }
        if let decoder, String(validating: name, as: UTF8.self) == nil { name = decoder.decode(name) ?? name }
        guard let index = listing.insert(name: name, reference: reference, kind: kind) else { return }
        let size: ListingEntry.Size = row.isLink ? .unknown : row.size.map { .exact($0) } ?? .unknown
        listing.merge(size: size, modified: row.modified, into: index)
        guard !listing.isTooLarge else { throw .tooLarge }
    }

    private static func row(_ reader: inout JSONReader) throws(ListingError) -> Row {
        var row = Row()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch (String(decoding: key, as: UTF8.self), try reader.kind()) {
            case ("name", .string): row.name = try reader.string()
            case ("url", .string): row.link = try reader.string()
            case ("size", .number): row.size = try reader.integer().flatMap { $0 >= 0 ? $0 : nil }
            case ("mtime", .string), ("mod_time", .string): row.modified = ListingDate.seconds(try reader.string())
            case ("is_symlink", .bool): row.isLink = try reader.bool()
            case ("is_dir", .bool): row.kind = try reader.bool() ? .directory : .file
            case ("type", .string):
                switch String(decoding: try reader.string(), as: UTF8.self) {
                case "directory": row.kind = .directory
                case "file": row.kind = .file
                default: row.kind = .unknown
                }
            default: try reader.skip()
            }
        }
        return row
    }
}
