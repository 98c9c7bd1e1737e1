import Platform

/// `skyfs unmount`
struct UnmountCommand {
    private let path: String

    init(_ arguments: [String]) throws(CommandError) {
        // Nothing is ever pending in a read-only mount, so with --now and without is the same.
        let options = [ArgumentReader.Option(letter: nil, name: "now")]
        var reader = ArgumentReader(arguments, options: options, command: "skyfs unmount")
        var operands: [String] = []
        while let word = try reader.next() { if case .operand(let operand) = word { operands.append(operand) } }
        guard operands.count == 1, let path = operands.first else {
            throw CommandError(.usage, "one MOUNTPOINT is needed", advice: "see skyfs unmount --help")
        }
        self.path = path
    }

    func run() throws(CommandError) -> ExitCode {
        try Unmounting.unmount(try Self.skyfsMount(at: path), isLazy: false)
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
