import LoopbackServer
import MountHarness
import Platform
import Testing

/// Listing directories ahead of programs that walk through the tree.
struct WalkTests {
    private static func name(_ number: Int) -> String { "d" + String(1000 + number) }

    private static func tree(_ directories: Int) throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.on("/", HTMLListing(style: .nginx, (0..<directories).map { .directory(FileName(name($0))) }).responder)
        for number in 0..<directories {
            server.on(
                "/\(name(number))/",
                HTMLListing(style: .nginx, (0..<20).map { .file(FileName("f\($0).txt"), size: 10) }).responder)
        }
        return server
    }

    @Test func walkOver400DirectoriesTakesFewRoundTrips() async throws {
        let server = try Self.tree(400)
        let delay = Duration.milliseconds(20)
        let relay = try Relay(to: server.port, delay: delay)
        defer { relay.stop() }
        try await withMount(["http://127.0.0.1:\(relay.port)/"]) { mount async throws in
            let begin = Instant.now()
            #expect(try await mount.sh(#"find "$M" -type f | wc -l"#).lines == ["8000"])
            let roundTrips = (Instant.now() - begin).inSeconds / (delay * 2).inSeconds
            // Each directory once, and many at a time: one after another would take 400. How many depends on the machine.
            #expect(server.log.count == 401)
            #expect(roundTrips < 200)
            #expect(relay.maximumConcurrentConnections <= 8)
        }
    }

    @Test func whoLooksIntoOneDirectoryCausesOneRequest() async throws {
        let server = try Self.tree(20)
        try await withMount(server) { mount async throws in
            #expect(try await mount.list().count == 20)
            #expect(try await mount.list(Self.name(3)).count == 20)
            #expect(try await mount.list(Self.name(9)).count == 20)
            #expect(try await mount.sh(#"ls -l "$M" && ls "$M/d1003""#).succeeded)
            try await Task.sleep(for: .milliseconds(300))
            #expect(server.log.count == 3)
        }
    }
}
