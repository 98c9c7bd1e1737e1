import Glibc
import Platform

/// `skyfs mount`, and `mount.skyfs` as mount(8) calls it.
struct MountCommand {
    private var request = MountRequest()

    init(_ arguments: [String]) throws(CommandError) {
        var words = ArgumentReader(arguments)
        var operands: [String] = []
        var config: String?
        while let word = words.next() {
            switch word {
            case "-f", "--foreground": request.isForeground = true
            case "-o", "--options": request.options += Self.split(try words.value(of: word))
            case "-c", "--config": config = try words.value(of: word)
            case _ where word.hasPrefix("-o") && !word.hasPrefix("--"):
                request.options += Self.split(String(word.dropFirst(2)))
            case _ where word.hasPrefix("--config="): config = String(word.dropFirst("--config=".count))
            case "--": operands += words.rest()
            case _ where word.hasPrefix("-") && word != "-":
                throw CommandError(.usage, "unknown option: \(word)", advice: "see skyfs mount --help")
            default: operands.append(word)
            }
        }
        if let config {
            let ofCommandLine = request.options
            request.options = []
            try ConfigFile(path: config).add(to: &request)
            request.options += ofCommandLine
        }
        guard operands.count >= (config == nil ? 2 : 1), let mountPoint = operands.last else {
            throw CommandError(.usage, "a SOURCE and a MOUNTPOINT are needed", advice: "see skyfs mount --help")
        }
        for source in operands.dropLast() { try request.add(source) }
        request.mountPoint = mountPoint
    }

    /// `mount.skyfs SOURCE MOUNTPOINT [-sfnv] [-o OPTIONS]`
    init(helperArguments arguments: [String]) throws(CommandError) {
        // -n and -s are mount(8)'s own affair, -v asks for words that only errors need.
        try self.init(arguments.filter { !["-n", "-s", "-v", "-sn"].contains($0) })
    }

    func run() throws(CommandError) -> ExitCode {
        try request.check()
        var settings = MountSettings()
        for option in request.options { try MountOption.apply(option, to: &settings) }
        var request = request
        request.mountPoint = try MountPointCheck(request.mountPoint, allowsNonEmpty: settings.allowsNonEmpty).path
        if request.hasCredentials, !isFromConfig {
            Output.error(
                "skyfs: a password in a URL can be seen by every user of this machine in the list of processes\n"
                    + "       put it into ~/.netrc or into a configuration file with mode 600\n")
        }
        if request.isForeground, !request.hasCredentials { return try MountedSession(request).run(ready: {}) }
        return try Worker.start(request)
    }

    private var isFromConfig: Bool { CommandLine.arguments.contains { $0 == "-c" || $0.hasPrefix("--config") } }

    /// Commas separate options; a backslash keeps one.
    private static func split(_ text: String) -> [String] {
        var words = [""]
        var isEscaped = false
        for character in text {
            if isEscaped || (character != "," && character != "\\") {
                words[words.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                words.append("")
            }
        }
        return words.filter { !$0.isEmpty }
    }
}
