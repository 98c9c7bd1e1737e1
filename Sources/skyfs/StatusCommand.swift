import Glibc
import Platform

/// `skyfs status`: prints the report that the mount itself shows under `.skyfs`.
struct StatusCommand {
    private var path = ""
    private var isJSON = false
    private var isWatching = false

    init(_ arguments: [String]) throws(CommandError) {
        for word in arguments {
            switch word {
            case "--json": isJSON = true
            case "--watch": isWatching = true
            case _ where word.hasPrefix("-") || !path.isEmpty:
                throw CommandError(.usage, "unknown option: \(word)", advice: "see skyfs status --help")
            default: path = word
            }
        }
        guard !path.isEmpty else {
            throw CommandError(.usage, "a MOUNTPOINT is needed", advice: "see skyfs status --help")
        }
    }

    func run() throws(CommandError) -> ExitCode {
        let mount = try UnmountCommand.skyfsMount(at: path)
        Output.print(try report(mount))
        while isWatching {
            sleep(1)
            guard let text = try? report(mount) else { return .success }
            Output.print((isatty(STDOUT_FILENO) != 0 ? "\u{1B}[H\u{1B}[J" : "\n") + text)
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
