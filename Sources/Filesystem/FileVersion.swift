import HTTP

/// What tells one version of a resource from another: the validators and the size of an answer (RFC 9110, 8.8).
struct FileVersion: Hashable, Sendable {
    /// nil while unknown (no Content-Length, or a coded body).
    var size: Int64?
    var entityTag: EntityTag?
    /// Seconds since 1970.
    var lastModified: Int64?

    enum Comparison: Sendable {
        case same
        case different
        /// Only the entity tags differ: a cluster whose members make tags of their own, or a change within one second.
        case tagsDiffer
    }

    /// Compares with a later answer. What one side does not know does not count.
    func compare(to later: FileVersion, ignoringTags: Bool) -> Comparison {
        if let size, let other = later.size, size != other { return .different }
        if let lastModified, let other = later.lastModified, lastModified != other { return .different }
        if !ignoringTags, let entityTag, let other = later.entityTag, entityTag.opaque != other.opaque {
            return lastModified != nil && later.lastModified != nil ? .tagsDiffer : .different
        }
        return .same
    }
}
