import Platform

/// `skyfs unmount`
struct UnmountCommand {
    private let path: String
    private var waits = true

    init(_ arguments: [String]) throws(CommandError) {
        let options = [ArgumentReader.Option(letter: nil, name: "now")]
        var reader = ArgumentReader(arguments, options: options, command: "skyfs unmount")
        var operands: [String] = []
        while let word = try reader.next() {
            switch word {
            case .operand(let operand): operands.append(operand)
            case .option: waits = false
            }
        }
        guard operands.count == 1, let path = operands.first else {
            throw CommandError(.usage, "one MOUNTPOINT is needed", advice: "see skyfs unmount --help")
        }
        self.path = path
    }

    func run() throws(CommandError) -> ExitCode {
        let mount = try Self.skyfsMount(at: path)
        // A mount whose process is gone or does not answer is not asked: that would hang.
        if waits, case .alive = MountList.life(of: mount) {
            let wait = UploadWait(
                mount: mount, hint: "not everything has gone up yet; unmount --now keeps it for the next mount")
            if let failures = wait.failures(wait.run() ?? []) { Output.error(failures.text) }
        }
        try Unmounting.unmount(mount, isLazy: false)
        return .success
    }

    /// The path of a mount of ours, alive or dead, without asking it anything.
    static func skyfsMount(at given: String) throws(CommandError) -> String {
        let path: String
        do { path = try MountPath.resolve(given) } catch {
            throw CommandError(.mountPoint, "\(given): \(error)", advice: "see findmnt -t \(MountList.ownType)")
        }
        guard MountList.type(at: path) == MountList.ownType else {
            throw CommandError(
                .mountPoint, "\(given): skyfs is not mounted there", advice: "see findmnt -t \(MountList.ownType)")
        }
        return path
    }
}
