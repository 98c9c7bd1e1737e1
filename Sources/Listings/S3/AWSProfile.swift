/// One profile of the files that Amazon's tools keep: `~/.aws/credentials`, with a section `[NAME]`, and `~/.aws/config`,
/// with `[default]` and `[profile NAME]`.
package struct AWSProfile: Sendable {
    private var values: [String: String] = [:]

    /// Bytes of a file; real ones have some hundred.
    package static let maximumSize = 1 << 20

    /// - Parameters:
    ///   - text: the whole file.
    ///   - name: of the profile; "default" is what is used where nobody names one.
    /// - Returns: nil if the file has no such profile, or is too large.
    package init?(_ text: [UInt8], name: String) {
        guard text.count <= Self.maximumSize else { return nil }
        var isFound = false
        var isInside = false
        for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) {
            // Indented lines go on with the value before, or are parts of a nested one.
            guard let first = line.first, first != "#", first != ";", first != " ", first != "\t" else { continue }
            if first == "[" {
                isInside = Self.sectionName(line) == name
                isFound = isFound || isInside
            } else if isInside, let mark = line.firstIndex(where: { $0 == "=" || $0 == ":" }) {
                let value = Self.trimmed(line[line.index(after: mark)...])
                values[Self.trimmed(line[..<mark]).lowercased()] = value.isEmpty ? nil : value
            }
        }
        guard isFound else { return nil }
    }

    /// The value of a name in lower case; nil if it is not there or empty.
    package subscript(name: String) -> String? { values[name] }

    /// "x" of `[x]`, `[profile x]` and `[profile "x"]`.
    private static func sectionName(_ line: Substring) -> String? {
        guard let end = line.firstIndex(of: "]") else { return nil }
        var name = trimmed(line[line.index(after: line.startIndex)..<end])
        if name.hasPrefix("profile ") { name = trimmed(name.dropFirst("profile ".count)) }
        if name.count > 1, let quote = name.first, quote == "\"" || quote == "'", name.last == quote {
            name = String(name.dropFirst().dropLast())
        }
        return name
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let rest = text.drop(while: isBlank)
        guard let end = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(rest[...end])
    }
}
