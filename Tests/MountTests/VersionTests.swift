import Glibc
import LoopbackServer
import MountHarness
import Platform
import Testing

/// One open handle reads one version of a file, or an error.
struct VersionTests {
    private static let size: Int64 = 1 << 26

    private static func version(_ isNew: Bool) -> FileResource {
        if isNew {
            FileResource(
                .generated(size: size) { [UInt8](repeating: 0xFF, count: $0.count) }, etag: "\"v2\"",
                lastModified: "Mon, 06 Jul 2026 10:00:01 GMT", conditions: true)
        } else {
            FileResource(.pattern(0..<size), etag: "\"v1\"", conditions: true)
        }
    }

    /// Reads 4 KiB of `f.bin`, does `change`, and reads 4 KiB near the middle through the same handle.
    private func readAcross(_ mount: SkyfsMount, change: () -> Void) async throws -> Command {
        let reader = try mount.start(
            "bash", "-c",
            #"""
            exec 3<"$M/f.bin"
            head -c 4096 <&3 | cksum > first.part && mv first.part first
            while [ ! -e go ]; do sleep 0.02; done
            dd iflag=skip_bytes skip=$((8000 * 4096)) bs=4096 count=1 status=none <&3
            """#)
        defer { reader.killGroup() }
        let path = mount.scratch.path
        #expect(await eventually(within: .seconds(30)) { access("\(path)/first", F_OK) == 0 })
        change()
        try mount.scratch.file("go", "")
        let started = Instant.now()
        let exit = await reader.wait(within: .seconds(200))
        let status: Int32? = if case .status(let status) = exit { status } else { nil }
        return Command(
            status: status, output: reader.output, errors: reader.errors, elapsed: Instant.now() - started)
    }

    /// Field case B20.
    @Test func fileChangedInMidReadIsStaleAndReadAnew() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        let isNew = Switch(false)
        server.on("/f.bin", FileResource.changing { _ in Self.version(isNew.value) })
        try await withMount(server, options: "timeout=10") { mount async throws in
            let read = try await readAcross(mount) { isNew.value = true }
            #expect(read.status == 1 && read.output.isEmpty, "\(read)")
            #expect(read.errors.contains("Stale file handle"), "\(read)")
            #expect(try await mount.sh(#"head -c 1 "$M/f.bin""#).output == [0xFF])
            let middle = try await mount.read("f.bin", at: 8000 * 4096, count: 4096)
            #expect(middle.output == [UInt8](repeating: 0xFF, count: 4096))
        }
    }

    @Test func changeIsNoticedWithoutEntityTags() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        let isNew = Switch(false)
        server.on(
            "/f.bin",
            FileResource.changing { _ in
                var file = Self.version(isNew.value)
                file.etag = nil
                return file
            })
        try await withMount(server, options: "timeout=10") { mount async throws in
            let read = try await readAcross(mount) { isNew.value = true }
            #expect(read.status == 1 && read.output.isEmpty, "\(read)")
            #expect(try await mount.sh(#"head -c 1 "$M/f.bin""#).output == [0xFF])
        }
    }

    @Test func errorPageInMidReadIsAnError() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        let isSick = Switch(false)
        server.on("/f.bin") { request, _ in
            isSick.value ? .html("<h1>Please log in</h1>\n") : FileResource.pattern(Self.size).answer(to: request)
        }
        try await withMount(server, options: "timeout=3") { mount async throws in
            let read = try await readAcross(mount) { isSick.value = true }
            #expect(read.status == 1 && read.output.isEmpty, "\(read)")
        }
    }

    @Test func errorPageInPlaceOfAListedFileIsAnError() async throws {
        let server = try LoopbackServer()
        server.on(
            "/", HTMLListing(style: .nginx, [.file("f.bin", size: 300_000), .file("g.bin", size: 300_000)]).responder)
        server.on("/f.bin", .html("<h1>Please log in</h1>\n"))
        server.pattern("/g.bin", 300_000)
        try await withMount(server, options: "timeout=3") { mount async throws in
            let read = try await mount.cat("f.bin")
            #expect(read.status == 1 && read.output.isEmpty, "\(read)")
            #expect(mismatch(try await mount.bytes("g.bin"), pattern(0..<300_000)) == nil)
        }
    }

    /// Field case B19.
    @Test func weakTagsAreNotSentAsConditions() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        let file = FileResource(.pattern(0..<300_000), etag: "W/\"5af4-56f\"")
        server.on("/f.bin") { request, _ in
            let conditions = [request.header("if-match"), request.header("if-range")]
            return conditions.contains { $0?.contains("W/") == true } ? Answer(status: 412) : file.answer(to: request)
        }
        try await withMount(server) { mount async throws in
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<300_000)) == nil)
            let read = try await mount.read("f.bin", at: 200_000, count: 1000)
            #expect(mismatch(read.output, pattern(200_000..<201_000)) == nil)
        }
        #expect(!server.log.contains { $0.status == 412 })
    }

    @Test func tagsThatDifferEveryTimeAreIgnored() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on(
            "/f.bin",
            FileResource.changing { FileResource(.pattern(0..<8_000_000), etag: "\"t\($0.count)\"") })
        try await withMount(server) { mount async throws in
            let read = try await mount.cat("f.bin")
            #expect(mismatch(read.output, pattern(0..<8_000_000)) == nil, "\(read.errors)")
        }
    }

    /// Field case C27.
    @Test func nameMayChangeItsType() async throws {
        let server = try LoopbackServer()
        func serve(directory: Bool) {
            server.directory("/", [directory ? "x/" : "x"])
            if directory {
                server.on("/x", Answer(status: 301, headers: [("Location", "/x/")]))
            } else {
                server.text("/x", "file\n")
            }
        }
        server.directory("/x/", ["in.txt"])
        server.text("/x/in.txt", "in\n")
        serve(directory: false)
        try await withMount(server, options: "ttl=0.5") { mount async throws in
            #expect(try await mount.stat("x", "%F") == "regular file")
            #expect(try await mount.text("x") == "file\n")
            serve(directory: true)
            try await mount.waitForKind("directory", of: "x")
            #expect(try await mount.text("x/in.txt") == "in\n")
            serve(directory: false)
            try await mount.waitForKind("regular file", of: "x")
            #expect(try await mount.text("x") == "file\n")
        }
    }

    /// Field case C29.
    @Test func replacedFileIsNeverMissing() async throws {
        let server = try LoopbackServer(listing: "v.json")
        let number = Switch(10)
        server.on(
            "/v.json",
            FileResource.changing { _ in
                let number = number.value
                return FileResource(
                    .text("{\"n\":\(number)}\n"), etag: "\"v\(number)\"",
                    lastModified: "Mon, 06 Jul 2026 10:00:\(10 + number % 50) GMT", conditions: true)
            })
        try await withMount(server, options: "ttl=0.3") { mount async throws in
            let reader = try mount.start(
                "bash", "-c",
                // At least 40 times, and until another version was seen.
                #"""
                first=$(cat "$M/v.json" 2>&1)
                for i in $(seq 1000); do
                    now=$(cat "$M/v.json" 2>&1); echo "$now"; sleep 0.1
                    [ "$i" -ge 40 ] && [ "$now" != "$first" ] && break
                done
                """#
            )
            while reader.exit == nil {
                try await Task.sleep(for: .milliseconds(400))
                number.value += 1
            }
            #expect(await reader.wait(within: .seconds(200)) == .status(0))
            let lines = String(decoding: reader.output, as: UTF8.self).split(separator: "\n").map(String.init)
            #expect(lines.count >= 40 && lines.allSatisfy { $0.hasPrefix("{\"n\":") }, "\(lines)")
            #expect(Set(lines).count > 1)
        }
    }
}

extension SkyfsMount {
    /// An old listing is shown while the new one is asked for, so a change is seen a moment after its time.
    fileprivate func waitForKind(_ kind: String, of name: String) async throws {
        let end = Instant.now() + .seconds(20)
        while try await stat(name, "%F") != kind {
            guard Instant.now() < end else { throw HarnessError("\(name) is no \(kind)") }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
