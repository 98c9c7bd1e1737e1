import FoundationEssentials
import Glibc
import Platform

/// The mount of the demo, with a folder for what it keeps, and their end.
struct DemoMount {
    /// The process behind the mount ends by itself within seconds; see `MountedSession`.
    private static let patience = Duration.seconds(10)

    /// Of the mount.
    let path: String
    /// Temporary; holds spool and cache, and the mount point unless the user gave one.
    private let folder: String
    private let pid: pid_t?

    /// Mounts what a server has.
    /// - Parameter mountPoint: nil for a temporary one.
    init(_ server: DemoServer, on mountPoint: String?) throws(CommandError) {
        let folder = try Self.makeFolder()
        do throws(CommandError) {
            path = try Self.mount(server, mountPoint ?? "\(folder)/mount", folder)
        } catch {
            Self.remove(folder)
            throw error
        }
        self.folder = folder
        pid = MountReport(path)?.pid
    }

    /// Takes the mount away, waits for its process and removes the folder. Any thread, once.
    func finish() {
        do {
            try Unmounting.unmount(path, isLazy: true)
            Output.print("$ skyfs unmount \(path)\n")
        } catch { Output.error(error.text) }
        let limit = Instant.now() + Self.patience
        while let pid, kill(pid, 0) == 0, Instant.now() < limit { usleep(10_000) }
        Self.remove(folder)
    }

    private static func mount(_ server: DemoServer, _ directory: String, _ folder: String) throws(CommandError)
        -> String
    {
        mkdir(directory, 0o700)
        let sources = [
            "files=\(server.url)", "drop=drop+\(server.url)upload",
            "flights=flights+\(server.url)webservices/DomesticAirline.asmx",
        ]
        Output.print("$ skyfs mount \(sources.joined(separator: " ")) \(directory)\n")
        let words =
            ["/proc/self/exe", "mount", "-o", "spool=\(folder)/spool,cache=\(folder)/cache,settle=200ms"] + sources + [
                directory
            ]
        guard let mount = ChildProcess(words) else {
            throw CommandError(.failure, "the demo could not be mounted: \(Errno.current)")
        }
        let code = mount.wait()
        guard code == 0 else {
            throw CommandError(ExitCode(rawValue: code) ?? .failure, "the demo could not be mounted")
        }
        return try UnmountCommand.skyfsMount(at: directory)
    }

    private static func makeFolder() throws(CommandError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/skyfs-demo.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandError(.failure, "cannot make a folder in \(parent): \(Errno.current)")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// With spool and cache in it; a mount point that is still mounted stays, and so does its folder.
    private static func remove(_ folder: String) {
        try? FileManager.default.removeItem(atPath: "\(folder)/spool")
        try? FileManager.default.removeItem(atPath: "\(folder)/cache")
        rmdir("\(folder)/mount")
        rmdir(folder)
    }
}
