/// The name of one directory entry, as the kernel spells it: any bytes but "/" and NUL. Not necessarily UTF-8.
package struct FileName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
    package init(_ text: String) { bytes = Array(text.utf8) }
    package init(stringLiteral text: String) { self.init(text) }

    /// Linux's limit for one name (`NAME_MAX`).
    package static let maximumLength = 255

    /// Whether the kernel accepts these bytes as one entry's name: not empty, no "/" or NUL, not "." or "..",
    /// at most 255 bytes.
    package var isValid: Bool {
        !bytes.isEmpty && bytes.count <= Self.maximumLength && !bytes.contains(0) && !bytes.contains(UInt8(ascii: "/"))
            && bytes != [0x2E] && bytes != [0x2E, 0x2E]
    }

    /// For people; invalid UTF-8 becomes U+FFFD.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
