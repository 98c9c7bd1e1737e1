/// Finds what somebody probably meant.
struct NearNames {
    private let names: [String]

    init(_ names: [String]) { self.names = names }

    /// Names within two edits of a word, or beginning with it; at most three.
    func near(_ word: String) -> [String] {
        let scored = names.map { ($0, $0.hasPrefix(word) && !word.isEmpty ? 0 : Self.distance($0, word)) }
        return scored.filter { $0.1 <= 2 }.sorted { $0.1 < $1.1 }.prefix(3).map(\.0)
    }

    /// The line that tells them.
    /// - Parameter otherwise: a command that lists all.
    static func advice(_ near: [String], otherwise: String) -> String {
        near.isEmpty ? "see \(otherwise)" : "did you mean \(near.joined(separator: " or "))?"
    }

    /// Levenshtein's distance.
    private static func distance(_ first: String, _ second: String) -> Int {
        let first = Array(first)
        let second = Array(second.prefix(64))
        var row = Array(0...second.count)
        for (i, a) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in second.enumerated() {
                let next = a == b ? diagonal : min(diagonal, row[j], row[j + 1]) + 1
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        return row[second.count]
    }
}
