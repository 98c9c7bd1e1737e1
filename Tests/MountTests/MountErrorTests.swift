import Glibc
import LoopbackServer
import MountHarness
import Platform
import Testing

/// A mount that cannot be made: a clear message, a non-zero exit, and nothing left behind.
struct MountErrorTests {
    /// Tries `skyfs mount -f`; `place` makes the mount point in the scratch directory and gives its path.
    private func expectFailure(
        _ sources: [String], options: String = "", saying words: [String],
        place: (Scratch) throws -> String = { try $0.directory("mount") },
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let scratch = try Scratch()
        let path = try place(scratch)
        let before = MountTable.entries(at: path).count
        let tried = try await Command.run(
            try SkyfsMount.arguments(sources, at: path, options: options),
            environment: SkyfsMount.environment(home: scratch.path), limit: .seconds(60))
        #expect(tried.status != 0 && tried.status != nil, "\(tried)", sourceLocation: sourceLocation)
        #expect((tried.status ?? 0) < 128, "\(tried)", sourceLocation: sourceLocation)
        #expect(tried.output.isEmpty, "\(tried)", sourceLocation: sourceLocation)
        #expect(tried.errors.contains("skyfs: "), "\(tried)", sourceLocation: sourceLocation)
        for word in words {
            #expect(
                tried.errors.lowercased().contains(word.lowercased()), "\(word): \(tried)",
                sourceLocation: sourceLocation)
        }
        #expect(MountTable.entries(at: path).count == before, sourceLocation: sourceLocation)
        if MountTable.entries(at: path).count > before {
            _ = try await Command.run(["fusermount3", "-uz", path], limit: .seconds(10))
        }
        await scratch.remove()
    }

    @Test(arguments: ["", "no url", "http://", "http:///x", "/etc/passwd", "http://a b/"])
    func sourceThatIsNoURLIsRefused(source: String) async throws {
        try await expectFailure([source], saying: [])
    }

    @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/", "gopher://127.0.0.1/"])
    func unknownSchemeIsRefused(source: String) async throws {
        try await expectFailure([source], saying: [String(source.prefix { $0 != ":" })])
    }

    @Test func missingMountPointIsRefused() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        try await expectFailure(["\(server.url)/"], saying: ["/missing"]) { "\($0.path)/missing" }
        server.stop()
    }

    @Test func mountPointThatIsAFileIsRefused() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        try await expectFailure(["\(server.url)/"], saying: ["directory"]) { try $0.file("plain", "x") }
        server.stop()
    }

    @Test func mountPointWithFilesIsRefused() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        try await expectFailure(["\(server.url)/"], saying: ["empty"]) { scratch in
            let path = try scratch.directory("mount")
            try scratch.file("mount/kept.txt", "kept")
            return path
        }
        server.stop()
    }

    @Test func mountPointInUseIsRefused() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        server.text("/a.txt", "a\n")
        try await withMount(server) { mount async throws in
            let again = try await Command.run(
                mount.arguments, environment: SkyfsMount.environment(home: mount.scratch.path), limit: .seconds(30))
            #expect(again.status != 0 && again.status != nil, "\(again)")
            #expect(again.errors.contains("skyfs: ") && again.errors.contains(mount.path), "\(again)")
            #expect(MountTable.entries(at: mount.path).count == 1)
            #expect(try await mount.text("a.txt") == "a\n")
        }
    }

    @Test func unknownHostIsNamed() async throws {
        try await expectFailure(
            ["http://no-such-host.invalid/"], options: "timeout=5,connect_timeout=3", saying: ["no-such-host.invalid"])
    }

    @Test func closedPortIsAnError() async throws {
        let server = try LoopbackServer()
        server.stop()
        try await expectFailure(["\(server.url)/"], options: "timeout=3", saying: ["127.0.0.1:\(server.port)"])
    }

    @Test func silentServerIsAnErrorInTime() async throws {
        let server = try LoopbackServer()
        server.on("*") { _, connection in
            connection.waitForClose(atMost: .seconds(120))
            return nil
        }
        try await expectFailure(["\(server.url)/"], options: "timeout=2,stall=1", saying: ["127.0.0.1:\(server.port)"])
        server.stop()
    }

    @Test func loginThatIsMissingIsNamed() async throws {
        let server = try LoopbackServer()
        server.on("*", Answer(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")]))
        try await expectFailure(["\(server.url)/"], saying: ["401"])
        server.stop()
    }

    @Test func missingSourceIsNamed() async throws {
        let server = try LoopbackServer()
        try await expectFailure(["\(server.url)/nothing/"], saying: ["404", "/nothing/"])
        server.stop()
    }

    @Test func pageThatIsNoListingIsRefused() async throws {
        let server = try LoopbackServer()
        server.on(
            "/", Answer(headers: [("Content-Type", "image/png")], body: .bytes([0x89, 0x50, 0x4E, 0x47, 0, 1, 2, 3])))
        try await expectFailure(["\(server.url)/"], saying: ["listing"])
        server.stop()
    }

    @Test func oneBadSourceOfSeveralIsNamed() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        try await expectFailure(
            ["good=\(server.url)/", "bad=\(server.url)/nothing/"], saying: ["404", "/nothing/"])
        server.stop()
    }

    @Test func unknownOptionIsRefusedWithANearOne() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        try await expectFailure(["\(server.url)/"], options: "timeuot=3", saying: ["timeuot", "timeout"])
        server.stop()
    }

    @Test func valueThatIsNoTimeIsRefused() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        try await expectFailure(["\(server.url)/"], options: "ttl=soon", saying: ["ttl", "soon"])
        server.stop()
    }

    @Test func messagesDoNotShowSecrets() async throws {
        let scratch = try Scratch()
        let path = try scratch.directory("mount")
        let server = try LoopbackServer()
        server.on("*", Answer(status: 401))
        let tried = try await Command.run(
            try SkyfsMount.arguments(
                ["http://user:s3cr3tpw@127.0.0.1:\(server.port)/d/?token=t0k3n"], at: path, options: ""),
            environment: SkyfsMount.environment(home: scratch.path), limit: .seconds(30))
        #expect(tried.status != 0 && tried.status != nil)
        #expect(!tried.errors.contains("s3cr3tpw") && !tried.errors.contains("t0k3n"), "\(tried)")
        server.stop()
        await scratch.remove()
    }
}
