package import Platform

/// One entry of a remote directory, as its listing tells it.
package struct ListingEntry: Hashable, Sendable {
    package enum Kind: Sendable {
        case file
        case directory
        /// The listing does not tell; a request decides when someone needs to know.
        case unknown
    }

    /// A size in bytes.
    package enum Size: Hashable, Sendable {
        case exact(Int64)
        /// Rounded by the server ("1.2K"): a hint, never shown as the size.
        case approximate(Int64)
        case unknown
    }

    /// Decoded and valid (`FileName.isValid`); UTF-8 wherever the listing's charset allowed it.
    package var name: FileName
    /// What to request: the raw path as served, percent-encoded, beginning with "/". Only an entry of another origin
    /// (external links allowed) has a whole URL here.
    package var reference: String
    package var kind: Kind
    package var size: Size
    /// Seconds since 1970; a date without a zone was taken as UTC. nil: not told, ambiguous or absurd.
    package var modified: Int64?

    package init(name: FileName, reference: String, kind: Kind, size: Size = .unknown, modified: Int64? = nil) {
        self.name = name
        self.reference = reference
        self.kind = kind
        self.size = size
        self.modified = modified
    }
}
