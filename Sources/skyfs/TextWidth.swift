/// Columns that a text takes on a terminal, well enough to keep a line from wrapping.
enum TextWidth {
    /// The beginning of a text that fits, with "…" where something was cut off.
    static func cut(_ text: String, to width: Int) -> String {
        guard columns(text) > width else { return text }
        var result = ""
        var used = 1
        for character in text {
            used += columns(character)
            if used > width { break }
            result.append(character)
        }
        return result + "…"
    }

    static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// East Asian scripts and pictures begin at U+1100; what is narrow among the later ones is counted too wide, which
    /// does no harm. Dashes, quotes and "…" (U+2010 to U+205F) are narrow.
    private static func columns(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first, first.value >= 0x1100 else { return 1 }
        return 0x2010...0x205F ~= first.value ? 1 : 2
    }
}
