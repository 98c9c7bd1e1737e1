import LoopbackServer
import MountHarness
import Platform
import Testing

/// What can be mounted, and where it then is.
struct SourceTests {
    @Test func severalSourcesAreDirectoriesOfTheRoot() async throws {
        let first = try LoopbackServer(listing: "a.txt")
        let second = try LoopbackServer()
        first.text("/a.txt", "a\n")
        second.directory("/sub/", ["b.txt"])
        second.text("/sub/b.txt", "b\n")
        defer { first.stop() }
        defer { second.stop() }
        try await withMount(["one=\(first.url)/", "二=\(second.url)/sub/"]) { mount async throws in
            #expect(try await mount.list() == ["one", "二"])
            #expect(try await mount.text(of: #"cat "$M/one/a.txt" "$M/二/b.txt""#) == "a\nb\n")
            #expect(try await mount.text(of: #"find "$M" -type f | wc -l"#) == "2\n")
        }
    }

    @Test func singleFileIsTheOnlyEntry() async throws {
        let server = try LoopbackServer()
        server.pattern("/some/path/f%20x.bin", 300_000)
        defer { server.stop() }
        try await withMount(["\(server.url)/some/path/f%20x.bin"]) { mount async throws in
            #expect(try await mount.list() == ["f x.bin"])
            #expect(try await mount.stat("f x.bin", "%F %s") == "regular file 300000")
            #expect(mismatch(try await mount.bytes("f x.bin"), pattern(0..<300_000)) == nil)
        }
    }

    @Test(arguments: [
        ("attachment; filename=\"report 2026.pdf\"", "report 2026.pdf"),
        ("attachment; filename=\"x.pdf\"; filename*=UTF-8''%E6%8A%A5%E5%91%8A.pdf", "报告.pdf"),
        ("attachment; filename=\"../../etc/passwd\"", nil),
    ])
    func singleFileIsNamedByTheServer(disposition: String, name: String?) async throws {
        let server = try LoopbackServer()
        let file = FileResource.pattern(5000)
        server.on("/download?id=7") { request, _ in
            file.answer(to: request).header("Content-Disposition", disposition)
        }
        defer { server.stop() }
        try await withMount(["\(server.url)/download?id=7"]) { mount async throws in
            let names = try await mount.list()
            #expect(names.count == 1)
            if let name {
                #expect(names == [name])
            } else {
                #expect(names.first?.contains("/") == false && names != [".."], "\(names)")
            }
            #expect(mismatch(try await mount.bytes(names[0]), pattern(0..<5000)) == nil)
        }
    }

    @Test func sourceMayHoldRawUTF8() async throws {
        let server = try LoopbackServer()
        server.directory("/%E7%9B%AE%E5%BD%95/", ["a.txt"])
        server.text("/%E7%9B%AE%E5%BD%95/a.txt", "a\n")
        defer { server.stop() }
        try await withMount(["\(server.url)/目录/"]) { mount async throws in
            #expect(try await mount.text("a.txt") == "a\n")
        }
    }

    @Test func directoryWithoutSlashIsRecognised() async throws {
        let server = try LoopbackServer()
        server.on("/pub", Answer(status: 301, headers: [("Location", "/pub/")]))
        server.directory("/pub/", ["a.txt"])
        server.text("/pub/a.txt", "a\n")
        defer { server.stop() }
        try await withMount(["\(server.url)/pub"]) { mount async throws in
            #expect(try await mount.list() == ["a.txt"])
            #expect(try await mount.text("a.txt") == "a\n")
        }
    }

    @Test func mountPointMayHaveAnyName() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        server.text("/a.txt", "a\n")
        defer { server.stop() }
        try await withMount(["\(server.url)/"], directory: "mount point, 目录 \\ 100%") { mount async throws in
            #expect(try await mount.list() == ["a.txt"])
            #expect(try await mount.text("a.txt") == "a\n")
        }
    }

    @Test func mountInTheBackgroundIsUsableAtOnce() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        server.text("/a.txt", "a\n")
        defer { server.stop() }
        await MountSlots.shared.take()
        let scratch = try Scratch()
        let path = try scratch.directory("mount")
        let environment = SkyfsMount.environment(home: scratch.path)
        let program = try SkyfsMount.program
        let mounted = try await Command.run(
            [program, "mount", "\(server.url)/", path], environment: environment, limit: .seconds(30))
        #expect(mounted.succeeded && mounted.output.isEmpty, "\(mounted)")
        let read = try await Command.run(["cat", "\(path)/a.txt"], limit: .seconds(20))
        #expect(read.text == "a\n", "\(read)")
        let unmounted = try await Command.run(
            [program, "unmount", path], environment: environment, limit: .seconds(30))
        #expect(unmounted.succeeded, "\(unmounted)")
        #expect(!MountTable.isMounted(path))
        if MountTable.isMounted(path) {
            _ = try await Command.run(["fusermount3", "-uz", path], limit: .seconds(10))
        }
        await scratch.remove()
        await MountSlots.shared.giveBack()
    }

    /// Two mounts in one test take two slots of the six; no other test may do so too.
    @Test func twoMountsAreIndependent() async throws {
        let first = try LoopbackServer(listing: "f.bin")
        let second = try LoopbackServer(listing: "f.bin")
        first.pattern("/f.bin", 1_000_000)
        second.on(
            "/f.bin", FileResource(.generated(size: 1_000_000) { [UInt8](repeating: 7, count: $0.count) }).responder)
        try await withMount(first) { one async throws in
            try await withMount(second) { two async throws in
                async let left = one.cat("f.bin")
                async let right = two.cat("f.bin")
                #expect(mismatch(try await left.output, pattern(0..<1_000_000)) == nil)
                #expect(mismatch(try await right.output, [UInt8](repeating: 7, count: 1_000_000)) == nil)
            }
            #expect(try await one.list() == ["f.bin"])
        }
    }

    @Test(arguments: HTMLListing.Style.allCases)
    func listingsOfTheCommonServersAreUnderstood(style: HTMLListing.Style) async throws {
        let server = try LoopbackServer()
        server.on(
            "/",
            HTMLListing(
                style: style,
                [
                    .directory("sub dir"), .file("a&b #1?.txt", size: 2),
                    .file(FileName("long-\(String(repeating: "n", count: 80)).bin"), size: 123_457),
                    .file("报告 100%.txt", size: 2),
                ]
            ).responder)
        server.on("/sub%20dir/", HTMLListing("/sub dir/", style: style, []).responder)
        server.on("*") { request, _ in
            FileResource.pattern(request.target.hasSuffix(".bin") ? 123_457 : 2).answer(to: request)
        }
        try await withMount(server) { mount async throws in
            let names = ["a&b #1?.txt", "long-\(String(repeating: "n", count: 80)).bin", "sub dir", "报告 100%.txt"]
            #expect(try await mount.list() == names)
            #expect(try await mount.list("sub dir") == [])
            #expect(try await mount.stat(names[1], "%F %s") == "regular file 123457")
            #expect(try await mount.stat(names[0], "%F %s") == "regular file 2")
            #expect(mismatch(try await mount.bytes(names[1]), pattern(0..<123_457)) == nil)
            #expect(try await mount.cat(names[3]).output == pattern(0..<2))
        }
    }
}
