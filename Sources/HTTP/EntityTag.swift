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
        // An inner quote would make two tags of it in If-Match. What is not ASCII may have been Latin-1, and would go back
        // as other bytes than it came.
        guard opaque.utf8.count >= 2, opaque.utf8.count <= 1024, opaque.hasPrefix("\""), opaque.hasSuffix("\""),
            opaque.utf8.dropFirst().dropLast().allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") })
        else { return nil }
        self.opaque = opaque
    }
}
