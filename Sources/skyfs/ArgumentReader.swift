/// Goes through the words of a command line.
struct ArgumentReader {
    private var words: ArraySlice<String>

    init(_ words: [String]) { self.words = words[...] }

    mutating func next() -> String? { words.popFirst() }

    /// The word behind an option that needs one.
    mutating func value(of option: String) throws(CommandError) -> String {
        guard let value = words.popFirst() else { throw CommandError(.usage, "\(option): a value is missing") }
        return value
    }

    /// All that is left.
    mutating func rest() -> [String] {
        defer { words = [] }
        return Array(words)
    }
}
