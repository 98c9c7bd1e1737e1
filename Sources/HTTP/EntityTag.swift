/// An entity tag with its quotes, and whether it is weak (`W/"…"`; RFC 9110, 8.8.3).
package struct EntityTag: Hashable, Sendable {
    /// With quotes, without `W/`.
    package let opaque: String
    package let isWeak: Bool

    package init(opaque: String, isWeak: Bool) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// nil if the header is no entity tag, or one that could not be sent back safely.
    init?(header text: String) {
        isWeak = text.hasPrefix("W/") || text.hasPrefix("w/")
        let opaque = isWeak ? String(text.dropFirst(2)) : text
        guard opaque.count >= 2, opaque.count <= 1024, opaque.hasPrefix("\""), opaque.hasSuffix("\""),
            opaque.utf8.allSatisfy({ $0 >= 0x21 && $0 != 0x7F })
        else { return nil }
        self.opaque = opaque
    }
}
