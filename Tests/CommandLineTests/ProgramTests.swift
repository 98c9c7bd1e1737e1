import Glibc
import LoopbackServer
import MountHarness
import Testing

/// What the program prints, and when it ends.
struct ProgramTests {
    @Test func helpAndVersionAreAnswers() async throws {
        try await withScene { scene async throws in
            for words in [
                "--help", "help", "mount --help", "unmount --help", "status -h", "demo --help", "flights --help",
                "--version",
            ] {
                let command = try await scene.sh(#""$S" "# + words)
                #expect(command.succeeded && !command.output.isEmpty && command.errors.isEmpty, "\(words): \(command)")
            }
            #expect(try await scene.skyfs("--help").text.contains("exit codes"))
            #expect(try await scene.skyfs().status == 2)
            let unknown = try await scene.skyfs("mont")
            #expect(unknown.status == 2 && unknown.errors.contains("did you mean mount?"), "\(unknown)")
        }
    }

    @Test func watchingEndsWithItsReaderAndWithTheMount() async throws {
        let server = try LoopbackServer.withOneFile()
        defer { server.stop() }
        try await withScene { scene async throws in
            #expect(try await scene.skyfs("mount", "\(server.url)/", scene.mountPoint).succeeded)
            let piped = try await scene.sh(#""$S" status "$M" --watch | head -n 1"#)
            #expect(piped.succeeded && piped.lines.count == 1, "\(piped)")
            let watch = try scene.start("status", "--watch", scene.mountPoint)
            #expect(await eventually { !watch.output.isEmpty })
            // The file is open only for a moment, so a busy mount is tried again.
            var isUnmounted = false
            for _ in 0..<50 where !isUnmounted {
                isUnmounted = try await scene.skyfs("unmount", scene.mountPoint).succeeded
            }
            #expect(isUnmounted)
            #expect(await watch.wait(within: .seconds(20)) == .status(0))
        }
    }

    @Test func theDemoShowsWhatItCostAndLeavesNothing() async throws {
        try await withScene { scene async throws in
            let demo = try await scene.sh(#"TMPDIR="$PWD" "$S" demo; ls"#, limit: .seconds(60))
            #expect(demo.text.contains("big.bin  (67108864 bytes)"), "\(demo)")
            #expect(demo.text.contains("-> the file: 1 request, 358 bytes"), "\(demo)")
            #expect(demo.text.contains("-> the upload: 1 request, "), "\(demo)")
            #expect(demo.text.contains("\"name\" : \"hello.txt\""), "\(demo)")
            #expect(demo.text.contains("-> the list of cities: 1 request, "), "\(demo)")
            #expect(demo.text.contains("  上海 → 北京, ") && demo.text.contains("-> the day: 1 request, "), "\(demo)")
            #expect(demo.text.contains("-> the two days that were not known: 2 requests, "), "\(demo)")
            #expect(demo.errors.isEmpty && demo.lines.last == "mount", "\(demo)")
        }
    }

    @Test func theDemoOnAMountPointStaysUntilASignal() async throws {
        try await withScene { scene async throws in
            let demo = try scene.start("demo", scene.mountPoint)
            #expect(
                await eventually(within: .seconds(60)) {
                    String(decoding: demo.output, as: UTF8.self).contains("Ctrl-C")
                })
            #expect(MountTable.isMounted(scene.mountPoint))
            demo.signal(SIGINT)
            #expect(await demo.wait(within: .seconds(20)) == .status(0))
            #expect(try await scene.sh("ls -A .local/state state 2>/dev/null | wc -l").text == "0\n")
        }
    }
}
