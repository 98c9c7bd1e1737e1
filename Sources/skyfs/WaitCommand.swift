/// `skyfs wait`: returns once nothing is left to send.
struct WaitCommand {
    private let path: String

    init(_ arguments: [String]) throws(CommandError) {
        var reader = ArgumentReader(arguments, options: [], command: "skyfs wait")
        var operands: [String] = []
        while let word = try reader.next() { if case .operand(let operand) = word { operands.append(operand) } }
        guard operands.count == 1, let path = operands.first else {
            throw CommandError(.usage, "one MOUNTPOINT is needed", advice: "see skyfs wait --help")
        }
        self.path = path
    }

    func run() throws(CommandError) -> ExitCode {
        let mount = try UnmountCommand.skyfsMount(at: path)
        let wait = UploadWait(mount: mount)
        guard let reports = wait.run() else {
            throw CommandError(
                .failure, "cannot see what \(mount) still sends: the mount does not answer",
                advice: "what was not sent is kept and goes up once the target is mounted again")
        }
        if let failures = wait.failures(reports) { throw failures }
        return .success
    }
}
