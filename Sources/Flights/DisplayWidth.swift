/// How many columns of a terminal a text takes (Unicode Annex 11): wide characters two, combining ones none.
enum DisplayWidth {
    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text.utf8.count }
        var width = 0
        for scalar in text.unicodeScalars { width += self.width(scalar) }
        return width
    }

    /// The text in at most `width` columns; what is cut ends in "…".
    static func cut(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        var result = String.UnicodeScalarView()
        var rest = width - 1
        for scalar in text.unicodeScalars {
            rest -= self.width(scalar)
            if rest < 0 { break }
            result.append(scalar)
        }
        return String(result) + "…"
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x20..<0x300: 1
        // CJK, kana, Hangul, full-width forms, emoji.
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: 0
            default: 1
            }
        }
    }
}
