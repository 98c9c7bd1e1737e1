/// How much of a foreign document is read before it is given up.
package struct XMLLimits: Sendable {
    /// The whole document, in bytes.
    package var size: Int
    /// Elements open at a time; the root is the first. libxml2 itself ends at 256.
    package var depth: Int

    package init(size: Int = 4 << 20, depth: Int = 32) {
        self.size = size
        self.depth = depth
    }

    /// Bytes of one tag, or of a text with its comments and references. libxml2 compares each attribute of a tag with all
    /// before it, so that one tag as long as the document would keep it busy for minutes.
    static let piece = 65_536
    /// Attributes and namespace declarations of one element. All open elements' declarations are looked through for each name.
    static let attributes = 100
}
