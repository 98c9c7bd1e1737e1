import Glibc
import Platform

/// The command line: chooses a command, runs it, prints what failed.
struct Program {
    static let version = "0.1.0"

    let name: String
    let arguments: [String]

    init(arguments: [String]) {
        name = arguments.first.flatMap { $0.split(separator: "/").last.map(String.init) } ?? "skyfs"
        self.arguments = Array(arguments.dropFirst())
    }

    func run() -> ExitCode {
        // A parent may have blocked signals, which would be inherited and make the program deaf to SIGTERM.
        SignalMask.clear()
        signal(SIGPIPE, SIG_IGN)
        do throws(CommandError) {
            return try dispatch()
        } catch {
            Output.error(error.text)
            return error.code
        }
    }

    private func dispatch() throws(CommandError) -> ExitCode {
        if let worker = Worker() { return try worker.run() }
        if name.hasSuffix("mount.skyfs"), !arguments.contains("--help") {
            return try MountCommand(helperArguments: arguments).run()
        }
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case nil:
            Output.error(Usage.summary)
            return .usage
        case "--help", "-h", "help":
            Output.print(rest.first.flatMap(Usage.command) ?? Usage.all)
            return .success
        case "--version", "-V":
            Output.print("skyfs \(Self.version)\n")
            return .success
        case let command? where rest.contains("--help") || rest.contains("-h"):
            guard let text = Usage.command(command) else { throw unknown(command) }
            Output.print(text)
            return .success
        case "mount": return try MountCommand(rest).run()
        case "unmount", "umount": return try UnmountCommand(rest).run()
        case "status": return try StatusCommand(rest).run()
        case "wait": return try WaitCommand(rest).run()
        case "put": return try PutCommand(rest).run()
        case "flights": return try FlightsCommand(rest).run()
        case "demo": return try DemoCommand(rest).run()
        case let command?: throw unknown(command)
        }
    }

    private func unknown(_ command: String) -> CommandError {
        CommandError(
            .usage, "unknown command: \(DisplayText.sanitized(command))",
            advice: NearNames.advice(
                NearNames(["mount", "unmount", "status", "wait", "put", "flights", "demo"]).near(command),
                otherwise: "skyfs --help"))
    }
}
