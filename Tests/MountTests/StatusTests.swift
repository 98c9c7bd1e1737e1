import LoopbackServer
import MountHarness
import Testing

/// What files and the mount tell about themselves.
struct StatusTests {
    @Test func extendedAttributesTellSourceAndState() async throws {
        let server = try LoopbackServer()
        // With exact sizes: the kernel asks for attributes before it reads an extended one.
        server.on(
            "/",
            .html(
                """
                <pre><a href="f.bin">f.bin</a>   02-Jan-2026 03:39   300000
                <a href="sick.bin">sick.bin</a>   02-Jan-2026 03:39   10
                </pre>
                """))
        server.pattern("/f.bin", 300_000)
        server.on("/sick.bin", Answer(status: 500))
        try await withMount(server, options: "timeout=2") { mount async throws in
            #expect(try await mount.cat("f.bin").succeeded)
            func attribute(_ name: String, of file: String) async throws -> Command {
                try await mount.run("getfattr", "--only-values", "-n", "user.skyfs.\(name)", "\(mount.path)/\(file)")
            }
            #expect(try await attribute("url", of: "f.bin").text == "\(server.url)/f.bin")
            #expect(try await attribute("etag", of: "f.bin").text == "\"e1\"")
            let cached = try await attribute("cached", of: "f.bin")
            #expect(cached.succeeded && !cached.output.isEmpty, "\(cached)")
            #expect(try await attribute("error", of: "f.bin").errors.contains("No such attribute"))
            #expect(try await mount.cat("sick.bin").status == 1)
            let error = try await attribute("error", of: "sick.bin")
            #expect(error.succeeded && error.text.contains("500"), "\(error)")
            let names = try await mount.sh(#"getfattr -m - "$M/f.bin""#)
            #expect(names.text.contains("user.skyfs.url"), "\(names)")
        }
    }

    @Test func attributesMaskWhatMayBeSecret() async throws {
        let server = try LoopbackServer()
        server.pattern("/f.bin?token=t0k3n", 5000)
        defer { server.stop() }
        try await withMount(["http://user:s3cr3tpw@127.0.0.1:\(server.port)/f.bin?token=t0k3n"]) { mount async throws in
            let told = try await mount.sh(
                #"getfattr --only-values -n user.skyfs.url "$M/f.bin"; cat "$M/.skyfs/status" "$M/.skyfs/status.json""#)
            #expect(told.succeeded && told.text.contains("/f.bin"), "\(told)")
            #expect(!told.text.contains("t0k3n") && !told.text.contains("s3cr3tpw"), "\(told)")
            #expect(!mount.process.errors.contains("t0k3n") && !mount.process.errors.contains("s3cr3tpw"))
        }
    }

    @Test func statusIsThereByNameAndNotListed() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.pattern("/f.bin", 300_000)
        try await withMount(server) { mount async throws in
            #expect(try await mount.cat("f.bin").succeeded)
            #expect(try await mount.list() == ["f.bin"])
            let text = try await mount.cat(".skyfs/status")
            #expect(text.succeeded && text.text.contains(server.url), "\(text)")
            let checked = try await mount.python(
                """
                import json, os, sys
                s = json.load(open(sys.argv[1] + "/.skyfs/status.json"))
                assert s["sources"][0]["url"].startswith(sys.argv[2]), s
                assert s["sources"][0]["state"] == "ok", s
                assert s["http"]["requests"] >= 2 and s["http"]["bytesReceived"] >= 300000, s
                assert s["pid"] == int(sys.argv[3]), s
                assert s["memory"]["used"] <= s["memory"]["limit"], s
                print("ok")
                """, server.url, "\(mount.process.pid)")
            #expect(checked.text == "ok\n", "\(checked)")
        }
    }

    @Test func counterOfWaitingReadersGoesBackToZero() async throws {
        let server = try LoopbackServer(listing: "hang.bin", "f.bin")
        server.on("/hang.bin") { request, _ in
            let answer = FileResource.pattern(5_000_000).answer(to: request)
            return request.method == "HEAD" ? answer : answer.with(.stall(afterBody: 100))
        }
        server.pattern("/f.bin", 3_000_000)
        try await withMount(server, options: "stall=1,timeout=2") { mount async throws in
            let readers = try await mount.sh(
                #"for i in $(seq 8); do dd if="$M/hang.bin" bs=4096 skip=$((i * 100)) count=1 2>/dev/null & done; wait; cat "$M/f.bin" >/dev/null"#
            )
            #expect(readers.succeeded, "\(readers)")
            let settled = try await mount.python(
                """
                import json, sys, time
                for _ in range(200):
                    s = json.load(open(sys.argv[1] + "/.skyfs/status.json"))
                    if s["parkedReplies"] == 0 and s["http"]["running"] == 0 and s["openFiles"] <= 1:
                        print("ok"); break
                    time.sleep(0.05)
                else: print(s)
                """)
            #expect(settled.text == "ok\n", "\(settled)")
        }
    }

    /// Field case C19.
    @Test func mountTableTellsTypeAndSourceWithoutSecrets() async throws {
        let server = try LoopbackServer()
        // "user:s3cr3tpw"
        server.on("/") { request, _ in
            request.header("authorization") == "Basic dXNlcjpzM2NyM3Rwdw=="
                ? .html("<a href=\"f.txt\">f</a>\n")
                : Answer(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
        }
        server.text("/f.txt", "f\n")
        defer { server.stop() }
        try await withMount(["http://user:s3cr3tpw@127.0.0.1:\(server.port)/"]) { mount async throws in
            let entry = try #require(MountTable.entries(at: mount.path).first)
            #expect(entry.type == "fuse.skyfs")
            #expect(entry.source.contains("127.0.0.1"))
            #expect(entry.options.split(separator: ",").contains("ro"))
            #expect(!MountTable.text.contains("s3cr3tpw"))
            #expect(try await mount.text("f.txt") == "f\n")
        }
    }

    /// Field case C20.
    @Test func wordsOfFstabAreAccepted() async throws {
        let server = try LoopbackServer(listing: "f.txt")
        server.text("/f.txt", "f\n")
        let options =
            "ro,_netdev,nofail,noauto,user,nosuid,nodev,x-systemd.automount,x-systemd.mount-timeout=30,comment=test"
        try await withMount(server, options: options) { mount async throws in
            #expect(try await mount.text("f.txt") == "f\n")
        }
    }
}
