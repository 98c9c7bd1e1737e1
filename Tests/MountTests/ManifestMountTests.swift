import LoopbackServer
import MountHarness
import Testing

/// Mounts of `links:FILE`.
struct ManifestMountTests {
    @Test func namesLeadToURLsOnAnyHost() async throws {
        let (first, second) = (try LoopbackServer(), try LoopbackServer())
        first.pattern("/data/x.bin?key=1", 200_000)
        second.text("/plain.txt", "plain\n")
        second.directory("/dir/", ["in.txt"])
        second.text("/dir/in.txt", "in\n")
        let scratch = try Scratch()
        let file = try scratch.file(
            "links.txt",
            """
            # what is needed
            deep/er/报告.bin\t\(first.url)/data/x.bin?key=1
            \(second.url)/plain.txt
            pub\t\(second.url)/dir/

            """)
        try await withMount(["links:\(file)"]) { mount async throws in
            #expect(try await mount.list() == ["deep", "plain.txt", "pub"])
            #expect(first.log.isEmpty && second.log.isEmpty)
            #expect(try await mount.list("deep/er") == ["报告.bin"])
            #expect(mismatch(try await mount.bytes("deep/er/报告.bin"), pattern(0..<200_000)) == nil)
            #expect(try await mount.text("plain.txt") == "plain\n")
            #expect(try await mount.text("pub/in.txt") == "in\n")
            let inodes = try await mount.sh(
                #"ls -id "$M/deep" | cut -d' ' -f1; ls -i "$M" | grep deep | tr -s ' ' | cut -d' ' -f1"#)
            #expect(Set(inodes.lines).count == 1, "\(inodes)")
        }
        await scratch.remove()
    }

    @Test func manifestIsReadAgainWhenItsFileChanges() async throws {
        let server = try LoopbackServer()
        for name in ["a", "b"] { server.text("/\(name).txt", "\(name)\n") }
        let scratch = try Scratch()
        let file = try scratch.file("links.txt", "\(server.url)/a.txt\n")
        try await withMount(["list=links:\(file)"]) { mount async throws in
            #expect(try await mount.list("list") == ["a.txt"])
            try scratch.file("links.txt", "\(server.url)/a.txt\nnew/b.txt\t\(server.url)/b.txt\n")
            let end = ContinuousClock.now + .seconds(20)
            while try await mount.list("list") != ["a.txt", "new"], .now < end {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try await mount.text("list/new/b.txt") == "b\n")
            // A broken one changes nothing.
            try scratch.file("links.txt", "not a URL\n")
            try await Task.sleep(for: .seconds(1.2))
            #expect(try await mount.list("list") == ["a.txt", "new"])
            #expect(try await mount.text("list/a.txt") == "a\n")
        }
        await scratch.remove()
    }

    @Test func brokenManifestIsRefusedWithItsLine() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("links.txt", "http://127.0.0.1:1/a\nx\tftp://host/b\n")
        let place = try scratch.directory("mount")
        let refused = try await Command.run(
            try SkyfsMount.arguments(["links:\(file)"], at: place, options: ""),
            environment: SkyfsMount.environment(home: scratch.path), limit: .seconds(30))
        #expect(refused.status != 0 && refused.errors.contains("line 2"), "\(refused)")
        await scratch.remove()
    }
}
