import LoopbackServer
import MountHarness
import Testing

/// Redirects, and what goes along with them.
struct RedirectTests {
    /// "user:pw" as Basic authentication sends it.
    private static let authorization = "Basic dXNlcjpwdw=="

    /// Asks for Basic authentication before `then`.
    private static func login(_ then: @escaping Responder) -> Responder {
        { request, connection in
            guard request.header("authorization") == authorization else {
                return Answer(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
            }
            return then(request, connection)
        }
    }

    private static func withCredentials(_ server: LoopbackServer) -> String {
        "http://user:pw@127.0.0.1:\(server.port)/"
    }

    /// Field case B26.
    @Test func credentialsAndCookiesStayWithTheirOrigin() async throws {
        let server = try LoopbackServer()
        let store = try LoopbackServer()
        server.on(
            "/",
            Self.login { _, _ in
                .html("<a href=\"f.bin\">f.bin</a>\n").header("Set-Cookie", "sid=secret; Path=/")
            })
        server.on(
            "/f.bin", Self.login { _, _ in Answer(status: 302, headers: [("Location", "\(store.url)/obj?sig=1")]) })
        let file = FileResource.pattern(5000)
        store.on("/obj?sig=1") { request, _ in
            request.header("authorization") != nil || request.header("cookie") != nil
                ? Answer(status: 400) : file.answer(to: request)
        }
        defer { server.stop() }
        try await withMount([Self.withCredentials(server)]) { mount async throws in
            let read = try await mount.cat("f.bin")
            #expect(mismatch(read.output, pattern(0..<5000)) == nil, "\(read.errors)")
        }
        #expect(!store.log.isEmpty)
        #expect(!store.log.contains { $0.header("authorization") != nil || $0.header("cookie") != nil })
    }

    @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"abc\", qop=\"auth\""])
    func anotherOriginThatAsksForALoginGetsNone(challenge: String) async throws {
        let server = try LoopbackServer()
        let other = try LoopbackServer()
        server.on("/", Self.login { _, _ in .html("<a href=\"f.bin\">f.bin</a>\n") })
        server.on("/f.bin", Self.login { _, _ in Answer(status: 302, headers: [("Location", "\(other.url)/f.bin")]) })
        other.on("*", Answer(status: 401, headers: [("WWW-Authenticate", challenge)]))
        defer { server.stop() }
        try await withMount([Self.withCredentials(server)], options: "timeout=5") { mount async throws in
            #expect(try await mount.cat("f.bin").fails(with: "Permission denied"))
        }
        #expect(!other.log.isEmpty)
        #expect(!other.log.contains { $0.header("authorization") != nil })
    }

    /// Field case B27.
    @Test func credentialsGoAlongWithinTheirOrigin() async throws {
        let server = try LoopbackServer()
        server.on("/", Self.login { _, _ in .html("<a href=\"f.bin\">f.bin</a>\n") })
        server.on("/f.bin", Self.login { _, _ in Answer(status: 302, headers: [("Location", "/real/f.bin")]) })
        server.on("/real/f.bin", Self.login(FileResource.pattern(5000).responder))
        defer { server.stop() }
        try await withMount([Self.withCredentials(server)]) { mount async throws in
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<5000)) == nil)
        }
    }

    @Test func credentialsOfNetrcAreUsedForTheirHost() async throws {
        let server = try LoopbackServer()
        server.on("/", Self.login { _, _ in .html("<a href=\"f.txt\">f.txt</a>\n") })
        server.on("/f.txt", Self.login(FileResource(.text("secret\n")).responder))
        defer { server.stop() }
        try await withMount(
            ["\(server.url)/"],
            prepare: { try $0.file(".netrc", "machine 127.0.0.1 login user password pw\n", mode: 0o600) }
        ) { mount async throws in
            #expect(try await mount.text("f.txt") == "secret\n")
        }
    }

    /// A netrc entry names a host only; a redirect to another port of it must not get the password.
    @Test func anotherPortOfTheHostGetsNothingOfNetrc() async throws {
        let other = try LoopbackServer()
        other.on("*", Answer(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"other\"")]))
        let server = try LoopbackServer(listing: "f.bin")
        server.on("/f.bin", Answer(status: 302, headers: [("Location", "\(other.url)/f.bin")]))
        defer { server.stop() }
        try await withMount(
            ["\(server.url)/"], options: "timeout=5",
            prepare: { try $0.file(".netrc", "machine 127.0.0.1 login user password pw\n", mode: 0o600) }
        ) { mount async throws in
            #expect(try await mount.cat("f.bin").fails(with: "Permission denied"))
        }
        #expect(!other.log.isEmpty)
        #expect(!other.log.contains { $0.header("authorization") != nil })
    }

    /// Field case B28.
    @Test func cookieSetOnTheWayIsSentBack() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        let file = FileResource.pattern(5000)
        server.on("/f.bin") { request, _ in
            request.header("cookie")?.contains("sid=abc") == true
                ? file.answer(to: request) : Answer(status: 302, headers: [("Location", "/login?next=/f.bin")])
        }
        server.on(
            "/login?next=/f.bin",
            Answer(status: 302, headers: [("Set-Cookie", "sid=abc; Path=/; HttpOnly"), ("Location", "/f.bin")]))
        try await withMount(server) { mount async throws in
            let read = try await mount.cat("f.bin")
            #expect(mismatch(read.output, pattern(0..<5000)) == nil, "\(read.errors)")
        }
    }

    /// Field case B28, second part.
    @Test func redirectsInACircleAreAnError() async throws {
        let server = try LoopbackServer(listing: "loop.bin", "a.bin")
        server.on("/loop.bin", Answer(status: 302, headers: [("Location", "/loop.bin")]))
        server.on("/a.bin", Answer(status: 307, headers: [("Location", "/b.bin")]))
        server.on("/b.bin", Answer(status: 307, headers: [("Location", "/a.bin")]))
        try await withMount(server, options: "timeout=10") { mount async throws in
            for name in ["loop.bin", "a.bin"] {
                let read = try await mount.cat(name, limit: .seconds(30))
                #expect(read.status == 1 && read.output.isEmpty, "\(read)")
            }
        }
        #expect((1...40).contains(server.requests("/loop.bin").count))
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:alert(1)", "gopher://127.0.0.1/", "http://",
        "http://[::1",
    ])
    func redirectToAnythingButHTTPIsAnError(location: String) async throws {
        let server = try LoopbackServer(listing: "f.bin", "ok.txt")
        server.on("/f.bin", Answer(status: 302, headers: [("Location", location)]))
        server.text("/ok.txt", "ok\n")
        try await withMount(server, options: "timeout=3") { mount async throws in
            let read = try await mount.cat("f.bin", limit: .seconds(20))
            #expect(read.status == 1 && read.output.isEmpty, "\(read)")
            #expect(try await mount.text("ok.txt") == "ok\n")
        }
    }

    @Test func linksOfARedirectedListingAreOfItsNewPlace() async throws {
        let server = try LoopbackServer()
        server.on("/old/", Answer(status: 301, headers: [("Location", "/new/place/")]))
        server.directory("/new/place/", ["f.txt"])
        server.text("/new/place/f.txt", "f\n")
        defer { server.stop() }
        try await withMount(["\(server.url)/old/"]) { mount async throws in
            #expect(try await mount.list() == ["f.txt"])
            #expect(try await mount.text("f.txt") == "f\n")
        }
    }

    @Test func expiredRedirectTargetIsAskedForAgain() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        let generation = Switch(1)
        server.on("/f.bin") { _, _ in
            Answer(status: 302, headers: [("Location", "/store/f.bin?sig=\(generation.value)")])
        }
        let file = FileResource.pattern(40_000_000)
        for number in 1...2 {
            server.on("/store/f.bin?sig=\(number)") { request, _ in
                generation.value == number ? file.answer(to: request) : Answer(status: 403)
            }
        }
        try await withMount(server) { mount async throws in
            let first = try await mount.read("f.bin", at: 0, count: 4096)
            #expect(mismatch(first.output, pattern(0..<4096)) == nil)
            generation.value = 2
            let second = try await mount.read("f.bin", at: 39_000_000, count: 4096)
            #expect(mismatch(second.output, pattern(39_000_000..<39_004_096)) == nil, "\(second.errors)")
        }
    }
}
