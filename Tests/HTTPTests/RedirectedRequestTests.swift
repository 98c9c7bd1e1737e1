import HTTP
import LoopbackServer
import Platform
import Testing

/// Redirects over real connections, and what goes along with them.
@Suite(.bounded) struct RedirectedRequestTests {
    private static func redirect(_ location: String, _ status: Int = 302) -> Answer {
        Answer(status: status, headers: [("Location", location)], body: .text("moved"))
    }

    /// Basic authentication of "user" with "pw".
    private static let authorization = "Basic dXNlcjpwdw=="

    private static func login(_ then: @escaping Responder) -> Responder {
        { request, connection in
            guard request.header("authorization") == authorization else {
                return Answer(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")], body: .text("login"))
            }
            return then(request, connection)
        }
    }

    @Test func theFinalAnswerIsDeliveredOnce() async throws {
        try await withClient { client, server async throws in
            server.on("/a", Self.redirect("/d/b?x", 301))
            server.on("/d/b?x", Self.redirect("c", 307))
            server.on("/d/c", FileResource.pattern(5000).responder)
            var request = try server.request("/a")
            request.range = 0..<100
            let record = await client.run(request)
            #expect(record.isSuccess && record.heads.map(\.status) == [206])
            #expect(record.heads.first?.url.text == server.url + "/d/c")
            #expect(record.body == pattern(0..<100))
            #expect(server.log.map(\.range) == ["bytes=0-99", "bytes=0-99", "bytes=0-99"])
            #expect(server.connectionsOpened == 1, "the pages of redirects leave the connection usable")
        }
    }

    @Test func aLongOrBrokenRedirectPageDoesNotMatter() async throws {
        try await withClient { client, server async throws in
            server.on(
                "/long", Answer(status: 302, headers: [("Location", "/f")], body: .pattern(0..<1 << 30)))
            server.on(
                "/cut",
                Answer(
                    status: 302, headers: [("Location", "/f")], body: .pattern(0..<1000), faults: [.cut(afterBody: 10)])
            )
            server.on("/f", Answer(body: .text("f")))
            for target in ["/long", "/cut"] {
                let record = await client.run(try server.request(target))
                #expect(record.isSuccess && record.body == Array("f".utf8), "\(target)")
            }
        }
    }

    @Test func aRedirectWithoutATargetIsAnAnswer() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(status: 302, body: .text("where to?")))
            let record = await client.run(try server.request("/f"))
            #expect(record.status == 302 && record.body == Array("where to?".utf8))
        }
    }

    /// Field case B28, second part.
    @Test func circlesEnd() async throws {
        try await withClient { client, server async throws in
            server.on("/loop", Self.redirect("/loop"))
            let error = try await client.run(server.request("/loop")).error
            #expect(error == .tooManyRedirects)
            #expect(server.log.count == 11)
        }
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "javascript:alert(1)", "http://"])
    func otherSchemesAreRefused(location: String) async throws {
        try await withClient { client, server async throws in
            server.on("/f", Self.redirect(location))
            guard case .refusedRedirect = await client.run(try server.request("/f")).error else {
                Issue.record("followed")
                return
            }
        }
    }

    /// Field case B26.
    @Test func secretsStayWithTheirOrigin() async throws {
        let store = try LoopbackServer()
        store.on("/obj?sig=1", FileResource.pattern(5000).responder)
        try await withClient { _, server async throws in
            server.on(
                "/f",
                Self.login { _, _ in Self.redirect("\(store.url)/obj?sig=1").header("Set-Cookie", "sid=secret; Path=/")
                })
            var request = try server.request("/f")
            request.headers = [("X-Token", "secret")]
            request.ifMatch = "\"e1\""
            let own = try Self.client(for: request.url.origin)
            defer { own.shutdown() }
            for _ in 0..<2 {
                let record = await own.run(request)
                #expect(record.isSuccess && record.body == pattern(0..<5000))
            }
            #expect(server.requests("/f").last?.header("x-token") == "secret")
            #expect(server.requests("/f").last?.header("cookie") == "sid=secret")
        }
        #expect(store.log.count == 2)
        for request in store.log {
            for name in ["authorization", "cookie", "x-token"] { #expect(request.header(name) == nil) }
            #expect(request.header("if-match") == "\"e1\"", "the tag is the file's, wherever it lies")
        }
        store.stop()
    }

    private static func client(for origin: Origin) throws -> HTTPClient {
        var configuration = HTTPConfiguration(userAgent: "skyfs-test/1", log: Log(.nowhere))
        configuration.credentials = [origin: Credentials(user: "user", password: "pw")]
        return try HTTPClient(configuration)
    }

    /// Field case B27.
    @Test func credentialsGoAlongWithinTheirOrigin() async throws {
        try await withClient { _, server async throws in
            server.on("/f", Self.login { _, _ in Self.redirect("/real/f") })
            server.on("/real/f", Self.login(FileResource.pattern(5000).responder))
            let request = try server.request("/f")
            let client = try Self.client(for: request.url.origin)
            defer { client.shutdown() }
            let record = await client.run(request)
            #expect(record.status == 200 && record.body == pattern(0..<5000))
        }
    }

    /// Field case B28.
    @Test func aCookieSetOnTheWayIsSentBack() async throws {
        try await withClient { client, server async throws in
            let file = FileResource.pattern(5000)
            server.on("/f") { request, _ in
                request.header("cookie") == "sid=abc" ? file.answer(to: request) : Self.redirect("/login?next=/f")
            }
            server.on("/login?next=/f", Self.redirect("/f").header("Set-Cookie", "sid=abc; Path=/; HttpOnly"))
            for _ in 0..<2 {
                let record = await client.run(try server.request("/f"))
                #expect(record.status == 200 && record.body == pattern(0..<5000))
            }
            #expect(server.log.map(\.target) == ["/f", "/login?next=/f", "/f", "/f"])
        }
    }

    @Test func cookiesDoNotGoToAnotherPort() async throws {
        let other = try LoopbackServer()
        try await withClient { client, server async throws in
            server.on("/f", Answer(headers: [("Set-Cookie", "sid=abc; Path=/")]))
            _ = await client.run(try server.request("/f"))
            _ = await client.run(try other.request("/f"))
            _ = await client.run(try server.request("/f"))
            #expect(server.log.map { $0.header("cookie") } == [nil, "sid=abc"])
            #expect(other.log.map { $0.header("cookie") } == [nil])
        }
        other.stop()
    }

    @Test(arguments: [401, 403, 410])
    func anExpiredTargetIsAskedForAgainOnce(status: Int) async throws {
        let store = try LoopbackServer()
        store.on("/old", Answer(status: status, body: .text("expired")))
        store.on("/new", FileResource.pattern(5000).responder)
        try await withClient({ $0.connectionsPerHost = 2 }) { client, server async throws in
            server.on("/f") { request, _ in Self.redirect(store.url + (request.count == 0 ? "/old" : "/new")) }
            let record = await client.run(try server.request("/f"))
            #expect(record.heads.map(\.status) == [200] && record.body == pattern(0..<5000))
            server.on("/g", Self.redirect(store.url + "/old"))
            // More often than the host has connections: none of them may get lost.
            for _ in 0..<4 {
                let refused = await client.run(try server.request("/g"))
                #expect(refused.isSuccess && refused.heads.map(\.status) == [status])
                #expect(refused.body == Array("expired".utf8))
            }
            #expect(server.requests("/g").count == 8)
            #expect(client.statistics().running == 0 && client.statistics().queued == 0)
        }
        store.stop()
    }
}
