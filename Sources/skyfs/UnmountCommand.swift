import Glibc

/// `skyfs unmount`
struct UnmountCommand {
    private let path: String

    init(_ arguments: [String]) throws(CommandError) {
        guard arguments.count == 1, let path = arguments.first, !path.hasPrefix("-") else {
            throw CommandError(.usage, "one MOUNTPOINT is needed", advice: "see skyfs unmount --help")
        }
        self.path = path
    }

    func run() throws(CommandError) -> ExitCode {
        let resolved = try Self.skyfsMount(at: path)
        try Unmounting.unmount(resolved, isLazy: false)
        return .success
    }

    /// The path of a mount of ours. A mount that is in the table under the given path is not touched, so that a dead one
    /// is found too.
    static func skyfsMount(at given: String) throws(CommandError) -> String {
        var path = MountList.absolute(given)
        if MountList.type(at: path) == nil, let resolved = realpath(given, nil) {
            path = String(cString: resolved)
            free(resolved)
        }
        guard let type = MountList.type(at: path), type.hasPrefix("fuse.skyfs") else {
            throw CommandError(.mountPoint, "\(given): skyfs is not mounted there", advice: "see findmnt -t fuse.skyfs")
        }
        return path
    }
}
