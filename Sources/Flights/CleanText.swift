import Platform

/// Makes a text of the service safe to show.
enum CleanText {
    /// Without white space at its ends, control and bidirectional characters replaced, cut at 4 KiB.
    static func of(_ text: String) -> String { shown(trimmed(text)) }

    /// Control and bidirectional characters replaced, cut at 4 KiB.
    static func shown(_ text: String) -> String { needsCleaning(text) ? DisplayText.sanitized(text) : text }

    /// Without white space at its ends.
    static func trimmed(_ text: String) -> String {
        guard let first = text.utf8.first, let last = text.utf8.last, first <= 0x20 || last <= 0x20 else { return text }
        let start = text.utf8.firstIndex { $0 > 0x20 }
        guard let start, let end = text.utf8.lastIndex(where: { $0 > 0x20 }) else { return "" }
        return String(text[start...end])
    }

    /// False for what surely holds nothing to clean; the bytes 0xC2, 0xD8 and 0xE2 begin all control characters that are
    /// not ASCII.
    private static func needsCleaning(_ text: String) -> Bool {
        if text.utf8.count > DisplayText.maximumLength { return true }
        for byte in text.utf8 {
            switch byte {
            case 0x00...0x1F, 0x7F, 0xC2, 0xD8, 0xE2: return true
            default: continue
            }
        }
        return false
    }
}
