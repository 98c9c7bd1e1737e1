import Testing

@testable import skyfs

struct ArgumentReaderTests {
    private func words(_ arguments: String...) throws(CommandError) -> [ArgumentReader.Word] {
        let options = [
            ArgumentReader.Option(letter: "f", name: "foreground"),
            ArgumentReader.Option(letter: "o", name: "options", takesValue: true),
            ArgumentReader.Option(letter: nil, name: "once"),
        ]
        var reader = ArgumentReader(arguments, options: options, command: "skyfs mount")
        var words: [ArgumentReader.Word] = []
        while let word = try reader.next() { words.append(word) }
        return words
    }

    private static let front = ArgumentReader.Word.option(name: "foreground", value: "")
    private static func option(_ value: String) -> ArgumentReader.Word { .option(name: "options", value: value) }

    @Test func allFormsOfGNU() throws {
        #expect(try words("-f") == [Self.front])
        #expect(try words("--foreground", "--fore") == [Self.front, Self.front])
        #expect(
            try words("-o", "a", "-oa", "--options=a", "--options", "a", "--opt=") == [
                Self.option("a"), Self.option("a"), Self.option("a"), Self.option("a"), Self.option(""),
            ])
        #expect(try words("-fo", "a", "-foa") == [Self.front, Self.option("a"), Self.front, Self.option("a")])
        #expect(try words("-o", "--foreground") == [Self.option("--foreground")])
    }

    @Test func operandsStandAnywhere() throws {
        #expect(
            try words("x", "-f", "-", "--", "-f", "--") == [
                .operand("x"), Self.front, .operand("-"), .operand("-f"), .operand("--"),
            ])
    }

    @Test(arguments: ["-x", "-fx", "--nothing", "--o", "-o", "--options", "--foreground=yes", "--=a", "-é"])
    func whatIsNoOptionIsRefused(word: String) {
        #expect { try words(word) } throws: { ($0 as? CommandError)?.code == .usage }
    }

    @Test func adviceNamesWhatWasMeant() {
        #expect { try words("--foregruond") } throws: {
            ($0 as? CommandError)?.advice == "did you mean --foreground?"
        }
        #expect { try words("--o") } throws: {
            ($0 as? CommandError)?.advice == "did you mean --options or --once?"
        }
    }
}
