import Glibc
import Platform

/// `skyfs status`: prints the report that the mount itself shows under `.skyfs`.
struct StatusCommand {
    private let path: String
    private var isJSON = false
    private var isWatching = false

    init(_ arguments: [String]) throws(CommandError) {
        let options = [
            ArgumentReader.Option(letter: nil, name: "json"), ArgumentReader.Option(letter: nil, name: "watch"),
        ]
        var reader = ArgumentReader(arguments, options: options, command: "skyfs status")
        var operands: [String] = []
        while let word = try reader.next() {
            switch word {
            case .option("json", _): isJSON = true
            case .option: isWatching = true
            case .operand(let operand): operands.append(operand)
            }
        }
        guard operands.count == 1, let path = operands.first else {
            throw CommandError(.usage, "one MOUNTPOINT is needed", advice: "see skyfs status --help")
        }
        self.path = path
    }

    func run() throws(CommandError) -> ExitCode {
        let mount = try UnmountCommand.skyfsMount(at: path)
        let separator = isatty(STDOUT_FILENO) != 0 ? "\u{1B}[H\u{1B}[J" : "\n"
        var isListening = Output.print(try report(mount))
        while isWatching, isListening {
            sleep(1)
            // The mount has ended, and with it what there is to watch.
            guard let text = try? report(mount) else { break }
            isListening = Output.print(separator + text)
        }
        return .success
    }

    private func report(_ mount: String) throws(CommandError) -> String {
        let file = "\(mount)/.skyfs/status\(isJSON ? ".json" : "")"
        guard let bytes = FileReading.all(file) else {
            throw CommandError(
                .failure, "cannot read \(file): \(Errno.current)", advice: "the process behind the mount may be gone")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
