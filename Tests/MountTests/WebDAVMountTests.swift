import LoopbackServer
import MountHarness
import Testing

/// Directories that are asked for with PROPFIND.
struct WebDAVMountTests {
    private static func multistatus(_ resources: [(href: String, size: Int?)]) -> Answer {
        let responses = resources.map { href, size in
            let type = size == nil ? "<D:resourcetype><D:collection/></D:resourcetype>" : "<D:resourcetype/>"
            let length = size.map { "<D:getcontentlength>\($0)</D:getcontentlength>" } ?? ""
            return """
                <D:response><D:href>\(href)</D:href><D:propstat><D:prop>\(type)\(length)</D:prop>\
                <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
                """
        }
        return Answer(
            status: 207, headers: [("Content-Type", "application/xml")],
            body: .text("<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>"))
    }

    private static func serve(_ server: LoopbackServer) {
        server.on(
            "/dav/", method: "PROPFIND",
            multistatus([("/dav/", nil), ("/dav/a%20b.txt", 5), ("/dav/sub/", nil)]))
        server.on("/dav/sub/", method: "PROPFIND", multistatus([("/dav/sub/", nil), ("/dav/sub/c.bin", 70_000)]))
        server.text("/dav/a%20b.txt", "five\n")
        server.pattern("/dav/sub/c.bin", 70_000)
    }

    private static func check(_ mount: SkyfsMount) async throws {
        #expect(try await mount.list() == ["a b.txt", "sub"])
        #expect(try await mount.stat("a b.txt", "%F %s") == "regular file 5")
        #expect(try await mount.text("a b.txt") == "five\n")
        #expect(try await mount.list("sub") == ["c.bin"])
        #expect(mismatch(try await mount.bytes("sub/c.bin"), pattern(0..<70_000)) == nil)
    }

    @Test(arguments: [403, 405, 501]) func serverWithoutPagesIsAskedByPROPFIND(status: Int) async throws {
        let server = try LoopbackServer()
        Self.serve(server)
        server.on("/dav/", method: "GET", Answer(status: status))
        try await withMount(["\(server.url)/dav/"]) { mount async throws in
            try await Self.check(mount)
            #expect(server.requests("/dav/").map(\.method) == ["GET", "PROPFIND"])
            #expect(server.requests("/dav/sub/").map(\.method) == ["PROPFIND"])
            let request = try #require(server.requests("/dav/", method: "PROPFIND").first)
            #expect(request.header("depth") == "1")
            // The sizes are exact: nothing else had to be asked for.
            #expect(server.log.filter { $0.method == "HEAD" }.isEmpty)
        }
    }

    @Test func propertiesAreAskedForAtOnceWhereTheSourceSaysSo() async throws {
        let server = try LoopbackServer()
        Self.serve(server)
        try await withMount(["files=dav+\(server.url)/dav"]) { mount async throws in
            #expect(try await mount.list() == ["files"])
            #expect(try await mount.list("files/sub") == ["c.bin"])
            #expect(try await mount.text("files/a b.txt") == "five\n")
            #expect(server.requests("/dav/").map(\.method) == ["PROPFIND"])
        }
    }

    @Test func pageWithADAVHeaderIsReplacedByExactProperties() async throws {
        let server = try LoopbackServer()
        Self.serve(server)
        let page = Answer.html("<title>Index of /dav/</title><a href=\"a%20b.txt\">a b.txt</a> 1K\n")
        server.on("/dav/", method: "GET", page.header("DAV", "1, 2"))
        try await withMount(["\(server.url)/dav/"]) { mount async throws in try await Self.check(mount) }
    }

    @Test func redirectOfAPROPFINDKeepsMethodAndBody() async throws {
        let server = try LoopbackServer()
        Self.serve(server)
        server.on("/old/", Answer(status: 301, headers: [("Location", "/dav/")]))
        try await withMount(["dav+\(server.url)/old/"]) { mount async throws in
            try await Self.check(mount)
            let bodies = server.log.filter { $0.method == "PROPFIND" }.prefix(2).map(\.body.count)
            #expect(bodies.count == 2 && bodies[0] > 0 && bodies[0] == bodies[1])
        }
    }

    @Test func directoryThatIsNeitherPageNorWebDAVSaysWhy() async throws {
        let server = try LoopbackServer()
        server.on("/closed/", Answer(status: 403))
        let scratch = try Scratch()
        let place = try scratch.directory("mount")
        let refused = try await Command.run(
            try SkyfsMount.arguments(["\(server.url)/closed/"], at: place, options: ""),
            environment: SkyfsMount.environment(home: scratch.path), limit: .seconds(30))
        #expect(refused.status == 4 && refused.errors.contains("403"), "\(refused)")
        await scratch.remove()
    }
}
