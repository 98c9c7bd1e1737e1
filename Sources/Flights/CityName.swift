import Platform

/// Makes a city's name one that the kernel and a terminal take. What is safe already stays as it is.
enum CityName {
    /// Control and bidirectional characters become U+FFFD, "/" the division slash U+2215, a dot at the start the full-width
    /// one; a name that is too long is cut and marked.
    static func safe(_ name: String) -> String {
        let safe = replaced(name)
        return safe.utf8.count > FileName.maximumLength ? marked(name, by: name) : safe
    }

    /// A safe name that ends with a checksum of `origin`.
    static func marked(_ name: String, by origin: String) -> String {
        var safe = ""
        for character in replaced(name) {
            if safe.utf8.count + character.utf8.count > FileName.maximumLength - mark(origin).utf8.count { break }
            safe.append(character)
        }
        return safe + mark(origin)
    }

    private static func replaced(_ name: String) -> String {
        let safe = String(
            String.UnicodeScalarView(CleanText.of(name).unicodeScalars.map { $0 == "/" ? "\u{2215}" : $0 }))
        return safe.hasPrefix(".") ? "\u{FF0E}" + safe.dropFirst() : safe.isEmpty ? "_" : safe
    }

    /// "~" and eight digits: FNV-1a, so that the same name has the same mark in every process.
    private static func mark(_ text: String) -> String {
        let hash = text.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        let digits = String(hash, radix: 16)
        return "~" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
