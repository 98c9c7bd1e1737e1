import Glibc
import LoopbackServer
import MountHarness
import Platform
import Testing

/// One test's folder, in which the built program is run as a user would.
struct CommandScene {
    let scratch: Scratch
    /// An empty directory.
    let mountPoint: String

    /// Runs `skyfs` in the folder.
    func skyfs(_ arguments: String..., limit: Duration = .seconds(30)) async throws -> Command {
        try await Command.run(
            [try SkyfsMount.program] + arguments, environment: SkyfsMount.environment(home: scratch.path),
            directory: scratch.path, limit: limit)
    }

    /// Starts `skyfs` in the folder; the test ends it.
    func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            [try SkyfsMount.program] + arguments, environment: SkyfsMount.environment(home: scratch.path),
            directory: scratch.path)
    }

    /// Runs a bash script in the folder, with the program as $S and the mount point as $M.
    func sh(_ script: String, limit: Duration = .seconds(30)) async throws -> Command {
        let environment = SkyfsMount.environment(home: scratch.path)
            .merging(["S": try SkyfsMount.program, "M": mountPoint]) { $1 }
        return try await Command.run(
            ["bash", "-c", script], environment: environment, directory: scratch.path, limit: limit)
    }

    /// Takes the mount away with the program and expects that to work.
    func unmount(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let command = try await skyfs("unmount", mountPoint)
        #expect(command.succeeded, "\(command)", sourceLocation: sourceLocation)
        #expect(!MountTable.isMounted(mountPoint), sourceLocation: sourceLocation)
    }

    /// The command line of a process as `ps` shows it.
    static func commandLine(of pid: Int32) -> String {
        guard let file = fopen("/proc/\(pid)/cmdline", "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count].map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
    }

    /// Processes whose command line names the mount point.
    func processes() async throws -> [Int32] {
        let found = try await Command.run(["pgrep", "-f", mountPoint], limit: .seconds(10))
        return found.lines.compactMap { Int32($0) }
    }
}

/// A scene for the time of `body`. Mounts that are left over are taken away and are a failure.
func withScene(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (CommandScene) async throws -> Void
) async throws {
    await MountSlots.shared.take()
    let scratch = try Scratch()
    let scene = CommandScene(scratch: scratch, mountPoint: try scratch.directory("mount"))
    var failure: (any Error)?
    do { try await body(scene) } catch { failure = error }
    for left in MountTable.entries where left.path.hasPrefix(scratch.path + "/") {
        Issue.record("left mounted: \(left.path)", sourceLocation: sourceLocation)
        _ = try await Command.run(["fusermount3", "-uz", left.path], limit: .seconds(10))
    }
    await scratch.remove()
    await MountSlots.shared.giveBack()
    if let failure { throw failure }
}

extension LoopbackServer {
    /// With one file, `f.txt`, that holds "f\n".
    static func withOneFile() throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.on("/", HTMLListing("/", style: .nginx, [.file("f.txt", size: 2)]).responder)
        server.on("/f.txt", FileResource(.text("f\n")).responder)
        return server
    }

    /// Takes requests and never answers.
    static func silent() throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.on("*") { _, connection in
            connection.waitForClose(atMost: .seconds(120))
            return nil
        }
        return server
    }
}
