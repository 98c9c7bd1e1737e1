import HTTP
import Platform
import XML

/// A `ListBucketResult`, of version 1 or 2: one page of the keys that begin with a prefix.
struct S3Listing {
    private var listing: Listing
    private let url: HTTPURL
    private let bucket: S3Bucket
    private let parameters: [S3Query.Parameter]
    private let prefix: [UInt8]

    private var isEncoded = false
    private var isTruncated = false
    /// Raw keys and prefixes: they can be decoded only once the encoding is known, which may stand behind them.
    private var keys: [Key] = []
    private var commonPrefixes: [[UInt8]] = []
    private var continuationToken: [UInt8] = []
    private var nextMarker: [UInt8] = []

    private struct Key {
        var key: [UInt8] = []
        var size: Int64?
        var modified: Int64?
    }

    /// - Parameters:
    ///   - reader: at its root, which is a `ListBucketResult`.
    ///   - url: what was asked for; its path is the bucket's.
    static func parse(_ reader: XMLReader, _ root: XMLElement, url: HTTPURL) throws(ListingError) -> ListingPage {
        var result = S3Listing(url: url)
        if result.isUngrouped { return result.groupedInstead }
        do throws(XMLError) {
            try result.read(reader, root)
            try reader.finish()
        } catch {
            throw ListingError(error)
        }
        return try result.page()
    }

    private init(url: HTTPURL) {
        self.url = url
        bucket = S3Bucket(root: url)
        parameters = S3Query.parameters(of: url)
        prefix = parameters.first { $0.name == "prefix" }?.value ?? []
        listing = Listing(base: bucket.root.path + Self.path(prefix))
    }

    private func has(_ name: String) -> Bool { parameters.contains { $0.name == name } }

    /// A signed URL cannot be changed.
    private var isSigned: Bool { has("X-Amz-Signature") || has("Signature") }

    /// A bucket that was asked like any other URL lists all keys of all directories.
    private var isUngrouped: Bool { !has("delimiter") && !isSigned }

    private var groupedInstead: ListingPage {
        ListingPage(listing: listing, next: bucket.request(prefix: prefix), format: .s3(bucket))
    }

    private mutating func read(_ reader: XMLReader, _ root: XMLElement) throws(XMLError) {
        while let element = try reader.nextChild(of: root) {
            switch reader.localName {
            case "Contents": keys.append(try Self.key(reader, element))
            case "CommonPrefixes":
                while let child = try reader.nextChild(of: element) {
                    if reader.isNamed("Prefix", in: nil) {
                        commonPrefixes.append(Array(try reader.text(of: child).utf8))
                    }
                }
            case "EncodingType": isEncoded = try reader.text(of: element) == "url"
            case "IsTruncated": isTruncated = try reader.text(of: element) == "true"
            case "NextContinuationToken": continuationToken = Array(try reader.text(of: element).utf8)
            case "NextMarker": nextMarker = Array(try reader.text(of: element).utf8)
            default: break
            }
        }
    }

    private static func key(_ reader: XMLReader, _ contents: XMLElement) throws(XMLError) -> Key {
        var key = Key()
        while let child = try reader.nextChild(of: contents) {
            switch reader.localName {
            case "Key": key.key = Array(try reader.text(of: child).utf8)
            case "Size": key.size = SizeReader.integer(Array(try reader.text(of: child).utf8)[...])
            case "LastModified": key.modified = ListingDate.seconds(Array(try reader.text(of: child).utf8))
            default: break
            }
        }
        return key
    }

    private mutating func page() throws(ListingError) -> ListingPage {
        for key in keys { insert(decoded(key.key), size: key.size, modified: key.modified) }
        for prefix in commonPrefixes { insert(decoded(prefix), size: nil, modified: nil) }
        guard !listing.isTooLarge else { throw .tooLarge }
        listing.trim()
        return ListingPage(listing: listing, next: try next(), format: .s3(bucket))
    }

    /// A key with a slash behind its first segment stands for a directory.
    private mutating func insert(_ key: [UInt8], size: Int64?, modified: Int64?) {
        guard key.starts(with: prefix), key.count > prefix.count else { return }
        let rest = key[prefix.count...]
        let name = Array(rest.prefix { $0 != UInt8(ascii: "/") })
        let isDirectory = name.count < rest.count
        if let known = listing.index(of: FileName(bytes: name)), (listing[known].kind == .directory) != isDirectory {
            // A directory hides an object of its name.
            listing.skipped += 1
        }
        guard let row = listing.insert(name: name, reference: .named(name), kind: isDirectory ? .directory : .file)
        else {
            return
        }
        if !isDirectory { listing.merge(size: size.map { .exact($0) } ?? .unknown, modified: modified, into: row) }
    }

    private func next() throws(ListingError) -> HTTPURL? {
        guard isTruncated else { return nil }
        guard !isSigned else { throw .notAListing("a signed list of a bucket too large for one page") }
        if !continuationToken.isEmpty {
            return bucket.request(prefix: prefix, continuation: .token(continuationToken))
        }
        // Version 1, which goes on behind a key; servers name it only where there is a delimiter, some never.
        let last = decoded(nextMarker.isEmpty ? lastKey : nextMarker)
        guard !last.isEmpty else { throw .malformed("it goes on, but does not say where") }
        return bucket.request(prefix: prefix, continuation: .marker(last))
    }

    private var lastKey: [UInt8] {
        let (key, prefix) = (keys.last?.key ?? [], commonPrefixes.last ?? [])
        return decoded(key).lexicographicallyPrecedes(decoded(prefix)) ? prefix : key
    }

    private func decoded(_ text: [UInt8]) -> [UInt8] { isEncoded ? S3Query.formDecoded(text) : text }

    private static func path(_ key: [UInt8]) -> String {
        key.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { PercentEncoding.encodeSegment($0) }.joined(separator: "/")
    }
}
