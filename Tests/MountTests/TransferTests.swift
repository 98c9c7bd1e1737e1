import LoopbackServer
import MountHarness
import Platform
import Testing

/// How much is asked for, how often, and over how many connections.
struct TransferTests {
    @Test func readersOfOneFileShareItsBytes() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on("/f.bin", FileResource(.pattern(0..<6_000_000), faults: [.rate(bytesPerSecond: 8_000_000)]).responder)
        try await withMount(server) { mount async throws in
            async let first = mount.cat("f.bin")
            async let second = mount.cat("f.bin")
            async let third = mount.cat("f.bin")
            for read in try await [first, second, third] {
                #expect(mismatch(read.output, pattern(0..<6_000_000)) == nil, "\(read.errors)")
            }
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<6_000_000)) == nil)
        }
        #expect(server.requests("/f.bin", method: "GET").map(\.bytesSent).reduce(0, +) < 6_200_000)
    }

    @Test func slowConnectionsAreJoinedByOthers() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on(
            "/f.bin", FileResource(.pattern(0..<24_000_000), faults: [.rate(bytesPerSecond: 2_000_000)]).responder)
        try await withMount(server) { mount async throws in
            let read = try await mount.cat("f.bin")
            #expect(mismatch(read.output, pattern(0..<24_000_000)) == nil, "\(read.errors)")
        }
        #expect((2...8).contains(server.maximumConcurrentRequests))
    }

    @Test func connectionsStayWithinTheirLimit() async throws {
        let server = try LoopbackServer(listing: "a.bin", "b.bin", "c.bin", "d.bin", "e.bin", "f.bin")
        for name in "abcdef" {
            server.on(
                "/\(name).bin",
                FileResource(.pattern(0..<3_000_000), faults: [.rate(bytesPerSecond: 2_000_000)]).responder)
        }
        try await withMount(server, options: "connections=3") { mount async throws in
            let read = try await mount.sh(
                #"for f in "$M"/*.bin; do (cmp "$f" <(cat "$f") && echo ok) & done; wait"#)
            #expect(read.lines == [String](repeating: "ok", count: 6), "\(read)")
        }
        #expect((1...3).contains(server.maximumConcurrentRequests))
    }

    @Test func smallFilesShareConnections() async throws {
        let server = try LoopbackServer()
        let names = (0..<60).map { "f\($0).txt" }
        server.directory("/", names)
        for name in names { server.text("/\(name)", "\(name)\n") }
        try await withMount(server) { mount async throws in
            let read = try await mount.sh(#"cat "$M"/*.txt | sort | sha256sum; ls "$M" | sort | sha256sum"#)
            #expect(read.lines.count == 2 && Set(read.lines).count == 1, "\(read)")
        }
        // Sixty sizes and sixty bodies; on a slow machine a connection may be given up as dead.
        #expect((1...16).contains(server.connectionsOpened))
    }

    @Test func longListingAsksForSizesInParallelAndOnce() async throws {
        let server = try LoopbackServer()
        let names = (0..<60).map { "f\($0).bin" }
        server.directory("/", names)
        for name in names {
            server.on("/\(name)", FileResource(.pattern(0..<777), faults: [.delay(.milliseconds(40))]).responder)
        }
        try await withMount(server) { mount async throws in
            let long = try await mount.sh(#"ls -l "$M" | grep -c ' 777 '"#)
            #expect(long.text == "60\n", "\(long)")
            #expect(server.log.filter { $0.target != "/" }.count == 60)
            #expect(server.log.filter { $0.target != "/" }.allSatisfy { $0.method == "HEAD" })
        }
        #expect(server.maximumConcurrentRequests >= 3)
    }

    @Test func openOfASmallFileIsOneRequest() async throws {
        let server = try LoopbackServer()
        server.on("/", HTMLListing(style: .nginx, [.file("f.bin", size: 5000)]).responder)
        server.pattern("/f.bin", 5000)
        try await withMount(server) { mount async throws in
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<5000)) == nil)
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<5000)) == nil)
        }
        #expect(server.requests("/f.bin").count == 1)
    }

    @Test func memoryStaysWithinItsBudget() async throws {
        let server = try LoopbackServer(listing: "f.bin", "g.bin")
        server.pattern("/f.bin", 40_000_000)
        server.pattern("/g.bin", 40_000_000)
        try await withMount(server, options: "memory=8M") { mount async throws in
            let watched = try await mount.python(
                """
                import json, sys, threading
                most, limit, busy = 0, 0, 2
                def read(name):
                    global busy
                    with open(sys.argv[1] + "/" + name, "rb") as f:
                        while f.read(1 << 20): pass
                    busy -= 1
                for name in ("f.bin", "g.bin"): threading.Thread(target=read, args=(name,)).start()
                while busy:
                    memory = json.load(open(sys.argv[1] + "/.skyfs/status.json"))["memory"]
                    most, limit = max(most, memory["used"]), memory["limit"]
                print(limit, "ok" if 0 < most <= limit else most)
                """)
            #expect(watched.text == "8388608 ok\n", "\(watched)")
        }
    }
}
