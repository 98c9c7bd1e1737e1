/// Makes text of foreign origin (a server's words, a file name) safe to show on a terminal or in a log.
package enum DisplayText {
    /// The longest text shown, in UTF-8 bytes.
    package static let maximumLength = 4096

    /// Replaces C0, DEL, C1 and bidirectional control characters by U+FFFD and cuts at 4 KiB.
    package static func sanitized(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            let shown = isControl(scalar) ? "\u{FFFD}" : scalar
            length += UTF8.width(shown)
            if length > maximumLength { break }
            result.append(shown)
        }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        // Marks, embeddings, overrides and isolates that reorder what is shown (Unicode Annex 9).
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // Line and paragraph separator break a one-line message.
        case 0x2028, 0x2029: true
        default: false
        }
    }
}
