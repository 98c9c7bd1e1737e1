/// Goes through the words of a command line the GNU way: `--name=value`, unambiguous beginnings of long names, `-oVALUE`,
/// letters together as in `-fo VALUE`, operands between options, `--` before the last operands.
///
/// Not `getopt_long`: its state are C globals, which Swift 6 rightly refuses to read.
struct ArgumentReader {
    struct Option {
        let letter: Character?
        let name: String
        var takesValue = false
    }

    enum Word: Equatable {
        case option(name: String, value: String)
        case operand(String)
    }

    private let options: [Option]
    /// For advice.
    private let command: String
    private var words: ArraySlice<String>
    /// What is left of a word of several letters.
    private var letters: Substring = ""
    private var onlyOperands = false

    init(_ words: [String], options: [Option], command: String) {
        self.words = words[...]
        self.options = options
        self.command = command
    }

    /// nil at the end.
    mutating func next() throws(CommandError) -> Word? {
        if let letter = letters.popFirst() { return try option(letter: letter) }
        guard let word = words.popFirst() else { return nil }
        if onlyOperands || word == "-" || !word.hasPrefix("-") { return .operand(word) }
        if word == "--" {
            onlyOperands = true
            return try next()
        }
        guard word.hasPrefix("--") else {
            letters = word.dropFirst()
            return try next()
        }
        return try option(long: word.dropFirst(2))
    }

    private mutating func option(letter: Character) throws(CommandError) -> Word {
        guard let option = options.first(where: { $0.letter == letter }) else { throw unknown("-\(letter)", near: []) }
        guard option.takesValue else { return .option(name: option.name, value: "") }
        if letters.isEmpty { return .option(name: option.name, value: try value(of: "-\(letter)")) }
        defer { letters = "" }
        return .option(name: option.name, value: String(letters))
    }

    private mutating func option(long word: Substring) throws(CommandError) -> Word {
        let name = word.prefix { $0 != "=" }
        let attached = name.endIndex == word.endIndex ? nil : String(word[word.index(after: name.endIndex)...])
        let matching = options.filter { $0.name == name }
        let candidates = matching.isEmpty && !name.isEmpty ? options.filter { $0.name.hasPrefix(name) } : matching
        guard candidates.count == 1, let option = candidates.first else {
            let near = candidates.isEmpty ? NearNames(options.map(\.name)).near(String(name)) : candidates.map(\.name)
            throw unknown("--\(name)", near: near.map { "--\($0)" })
        }
        guard option.takesValue else {
            guard attached == nil else { throw CommandError(.usage, "--\(option.name): takes no value") }
            return .option(name: option.name, value: "")
        }
        if let attached { return .option(name: option.name, value: attached) }
        return .option(name: option.name, value: try value(of: "--\(option.name)"))
    }

    private mutating func value(of option: String) throws(CommandError) -> String {
        guard let value = words.popFirst() else { throw CommandError(.usage, "\(option): a value is missing") }
        return value
    }

    private func unknown(_ option: String, near: [String]) -> CommandError {
        CommandError(
            .usage, "unknown option: \(option)", advice: NearNames.advice(near, otherwise: "\(command) --help"))
    }
}
