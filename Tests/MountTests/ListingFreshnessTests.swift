import Glibc
import LoopbackServer
import MountHarness
import Platform
import Testing

/// How long a listing is believed, and what happens afterwards.
struct ListingFreshnessTests {
    @Test func oldListingIsShownWhileTheNewOneIsAskedFor() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        try await withMount(server, options: "ttl=1") { mount async throws in
            #expect(try await mount.list() == ["a.txt"])
            let isHeld = Switch(true)
            defer { isHeld.value = false }
            server.on("/") { _, _ in
                while isHeld.value { usleep(5000) }
                return .html("<a href=\"b.txt\">b.txt</a>")
            }
            try await Task.sleep(for: .seconds(1.1))
            // The server does not answer: this is the listing of before.
            #expect(try await mount.list() == ["a.txt"])
            isHeld.value = false
            let end = Instant.now() + .seconds(20)
            while try await mount.list() != ["b.txt"], Instant.now() < end {}
            #expect(try await mount.list() == ["b.txt"])
        }
    }

    @Test func serverThatForbidsOldListingsIsWaitedFor() async throws {
        let server = try LoopbackServer()
        func serve(_ name: String) {
            server.on("/", .html("<a href=\"\(name)\">\(name)</a>").header("Cache-Control", "no-cache"))
        }
        serve("a.txt")
        try await withMount(server) { mount async throws in
            #expect(try await mount.list() == ["a.txt"])
            serve("b.txt")
            try await Task.sleep(for: .seconds(1.2))
            #expect(try await mount.list() == ["b.txt"])
        }
    }

    @Test func cacheControlDecidesHowLongAListingHolds() async throws {
        let server = try LoopbackServer()
        server.on("/", .html("<a href=\"a.txt\">a.txt</a>").header("Cache-Control", "max-age=600"))
        try await withMount(server, options: "ttl=0.1") { mount async throws in
            for _ in 0..<3 {
                #expect(try await mount.list() == ["a.txt"])
                try await Task.sleep(for: .milliseconds(150))
            }
            #expect(server.log.count == 1)
        }
    }

    @Test func unchangedListingIsConfirmedWithoutItsBytes() async throws {
        let server = try LoopbackServer()
        server.on("/") { request, _ in
            request.header("if-none-match") == "W/\"v1\""
                ? Answer(status: 304) : .html("<a href=\"a.txt\">a.txt</a>").header("ETag", "W/\"v1\"")
        }
        try await withMount(server, options: "ttl=0.2") { mount async throws in
            for _ in 0..<4 {
                #expect(try await mount.list() == ["a.txt"])
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(server.log.count > 1)
            #expect(server.log.dropFirst().allSatisfy { $0.status == 304 }, "\(server.log)")
        }
    }

    @Test func largeListingIsGivenBackOnceNobodyUsesIt() async throws {
        let server = try LoopbackServer()
        let page = (0..<30_000).map { "<a href=\"file-\($0).txt\">file-\($0).txt</a> 02-Jan-2026 03:39 10\n" }.joined()
        server.on("/", .html(page))
        try await withMount(server, options: "ttl=1") { mount async throws in
            #expect(try await mount.sh(#"ls -U "$M" | wc -l"#).lines == ["30000"])
            #expect(server.log.count == 1)
            // The kernel forgets what it knew of the entries.
            #expect(try await mount.sh(#"sleep 1.2; sync; echo 2 > /proc/sys/vm/drop_caches; sleep 1"#).succeeded)
            #expect(try await mount.sh(#"ls -U "$M" | wc -l"#).lines == ["30000"])
            // It was asked for anew, and waited for.
            #expect(server.log.count == 2)
        }
    }

    @Test func skippedNamesAreCountedInTheStatus() async throws {
        let long = String(repeating: "x", count: 300)
        let server = try LoopbackServer(listing: "a.txt", "\(long).txt", "b%2Fc.txt")
        try await withMount(server) { mount async throws in
            #expect(try await mount.list() == ["a.txt"])
            let status = try await mount.text(".skyfs/status")
            #expect(status.contains("skipped 2 names"), "\(status)")
            #expect(mount.process.errors.contains("2 entries skipped"))
        }
    }
}
