import LoopbackServer
import MountHarness
import Platform

/// A drop folder as the root of a real mount, and the upload target its files go to. Used by one test at a time.
final class DropScene {
    /// Times short enough for tests; none of them is relied on.
    static let quick = "settle=0.2,retry=0.2"

    let server: LoopbackServer
    let target: UploadTarget
    /// Replaced by `mountAgain`.
    private(set) var mount: SkyfsMount
    private let sources: [String]
    private let options: String
    private var markers = 0
    private var sourceFiles = 0

    init(_ server: LoopbackServer, _ target: UploadTarget, _ mount: SkyfsMount, sources: [String], options: String) {
        (self.server, self.target, self.mount) = (server, target, mount)
        (self.sources, self.options) = (sources, options)
    }

    var scratch: Scratch { mount.scratch }
    /// The uploads that count, in the order of their beginning, without markers.
    var uploads: [UploadAttempt] { target.uploads.filter { !Self.isMarker($0) } }
    /// All POSTs that had a file's part read to its end, and those that had not, without markers.
    var attempts: [UploadAttempt] { target.attempts.filter { !Self.isMarker($0) } }
    /// The names of the uploads as they came over the wire, sorted.
    var names: [String] { uploads.map { $0.file?.fileName ?? "" }.sorted() }
    /// "NAME SIZE" of the uploads, sorted.
    var sizes: [String] { uploads.map { "\($0.file?.fileName ?? "") \($0.file?.size ?? -1)" }.sorted() }

    private static func isMarker(_ attempt: UploadAttempt) -> Bool {
        attempt.file?.fileName?.hasPrefix("marker-") == true
    }

    func sh(_ script: String, limit: Duration = .seconds(60)) async throws -> Command {
        try await mount.sh(script, limit: limit)
    }

    /// Runs a script that must succeed.
    func must(_ script: String, limit: Duration = .seconds(60)) async throws {
        let command = try await sh(script, limit: limit)
        guard command.succeeded else { throw HarnessError("\(script): \(command)") }
    }

    /// Copies bytes into the drop folder with `cp`, which must succeed.
    func put(_ name: String, _ bytes: [UInt8]) async throws {
        sourceFiles += 1
        let source = try scratch.file("source-\(sourceFiles)", bytes)
        let copied = try await mount.run("cp", "--", source, "\(mount.path)/\(name)")
        guard copied.succeeded else { throw HarnessError("cp to \(name): \(copied)") }
    }

    func put(_ name: String, _ text: String) async throws { try await put(name, Array(text.utf8)) }

    /// Waits until so many uploads count.
    func arrive(_ count: Int, within limit: Duration = .seconds(120)) async -> Bool {
        await eventually(within: limit) { uploads.count >= count }
    }

    /// Waits until nothing is left to send: then no upload comes any more.
    @discardableResult
    func drain(within limit: Duration = .seconds(180)) async throws -> DropQueue {
        try await mount.dropQueue(within: limit) { $0.isEmpty }
    }

    /// Drops a file and waits until it has gone up: what was dropped before has then had its quiet time, and its turn.
    func letTimePass() async throws {
        markers += 1
        let name = "marker-\(markers)"
        try await put(name, "x")
        guard await eventually(within: .seconds(120), { target.uploads.contains { $0.file?.fileName == name } }) else {
            throw HarnessError("\(name) did not go up: \(try await mount.dropQueue())")
        }
    }

    /// The names in a folder of the drop folder, without `sent` and `failed`.
    func list(_ folder: String = "") async throws -> [String] {
        try await mount.list(folder).filter { !folder.isEmpty || !["sent", "failed"].contains($0) }
    }

    /// Ends the program with SIGKILL and takes its dead mount away.
    /// - Parameter writer: is waited for in between: it must not go on in the bare directory.
    func kill(waitingFor writer: ChildProcess? = nil) async throws {
        mount.process.signal(9)
        guard await mount.process.wait(within: .seconds(20)) != nil else {
            throw HarnessError("skyfs survived SIGKILL")
        }
        if let writer, await writer.wait(within: .seconds(60)) == nil {
            throw HarnessError("the writer does not end")
        }
        try await takeAway()
    }

    /// Ends the program with SIGTERM.
    /// - Throws: what was not as it should be.
    func end() async throws {
        if let complaint = await mount.end() { throw HarnessError(complaint) }
    }

    /// Mounts again with the same command line, after the program has ended.
    func mountAgain() async throws {
        mount = try await SkyfsMount.start(sources, options: options, at: mount.path, in: scratch)
    }

    private func takeAway() async throws {
        while MountTable.isMounted(mount.path) {
            let unmounted = try await Command.run(["fusermount3", "-uz", mount.path], limit: .seconds(10))
            guard unmounted.succeeded else { throw HarnessError("\(unmounted)") }
        }
    }
}

/// Mounts a drop folder whose files go to `/upload` of a new server, then ends the program and removes everything.
/// - Throws: what `body` throws; else an error if there was no mount, or the program did not end well.
/// - Parameters:
///   - sources: the part of the command line before the mount point; by default the drop folder alone.
///   - prepare: runs before the program starts, with the scratch directory.
func withDrop(
    _ options: String = DropScene.quick, target: UploadTarget = UploadTarget(keeping: 4 << 20),
    sources: (LoopbackServer, Scratch) throws -> [String] = { server, _ in ["drop+\(server.url)/upload"] },
    prepare: (Scratch) async throws -> Void = { _ in }, _ body: (DropScene) async throws -> Void
) async throws {
    let server = try LoopbackServer()
    target.install(on: server)
    defer { server.stop() }
    await MountSlots.shared.take()
    var failure: (any Error)?
    do {
        let scratch = try Scratch()
        do {
            try await prepare(scratch)
            let sources = try sources(server, scratch)
            let path = try scratch.directory("mount")
            let mount = try await SkyfsMount.start(sources, options: options, at: path, in: scratch)
            let scene = DropScene(server, target, mount, sources: sources, options: options)
            do {
                try await body(scene)
            } catch {
                failure = error
            }
            let complaint = await scene.mount.end()
            if failure != nil || complaint != nil {
                let words = failure.map { "\($0)" } ?? ""
                failure = HarnessError(
                    "\(words)\n\(complaint ?? "")\nskyfs wrote: \(scene.mount.process.errors.suffix(4000))")
            }
        } catch {
            failure = error
        }
        await scratch.remove()
    } catch {
        failure = error
    }
    await MountSlots.shared.giveBack()
    if let failure { throw failure }
}
