package import Platform

/// One row of a directory, as its listing tells it.
package struct ListingEntry: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case file, directory
        /// The listing does not tell; asked for when it is needed.
        case unknown
    }

    package enum Size: Hashable, Sendable {
        /// Bytes.
        case exact(Int64)
        /// Bytes, from a rounded number such as "1.2K": a hint, never a size to report.
        case approximate(Int64)
        case unknown
    }

    /// Decoded; always `isValid`.
    package var name: FileName
    /// What to request: a raw path with query, percent-encoded, beginning with "/"; a whole URL for another host.
    package var reference: String
    package var kind: Kind
    package var size: Size
    /// Seconds since 1970; a date without zone is taken as UTC. nil if absent, unreadable or absurd.
    package var modified: Int64?

    package init(name: FileName, reference: String, kind: Kind, size: Size, modified: Int64?) {
        self.name = name
        self.reference = reference
        self.kind = kind
        self.size = size
        self.modified = modified
    }
}
