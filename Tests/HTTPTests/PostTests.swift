import HTTP
import LoopbackServer
import Platform
import Testing

/// Small requests with a body, and requests that go out once.
@Suite(.bounded) struct PostTests {
    private func post(_ server: LoopbackServer, _ target: String, _ body: String) throws -> Request {
        var request = try server.request(target, .metadata, .post)
        request.body = Array(body.utf8)
        request.headers = [("Content-Type", "text/plain")]
        request.isRepeated = false
        return request
    }

    @Test func bodyGoesOutWithItsLength() async throws {
        try await withClient { client, server async throws in
            server.on("*", Answer(body: .text("ok")))
            for body in ["a=b&c=\u{0}d", "", String(repeating: "x", count: 300_000)] {
                server.clearLog()
                #expect(await client.answer(try post(server, "/p", body)).status == 200)
                let sent = try #require(server.log.first)
                #expect(sent.method == "POST" && sent.body == Array(body.utf8))
                #expect(sent.header("content-length") == "\(body.utf8.count)")
                #expect(sent.header("content-type") == "text/plain")
                #expect(sent.header("expect") == nil && sent.header("transfer-encoding") == nil)
            }
        }
    }

    /// The handle of a POST is used for the next request.
    @Test func bodyDoesNotStayForTheNextRequest() async throws {
        try await withClient { client, server async throws in
            server.on("*", Answer(body: .text("ok")))
            #expect(await client.answer(try post(server, "/p", "secret")).status == 200)
            #expect(await client.answer(try server.request("/g", .metadata)).status == 200)
            #expect(server.log.map(\.method) == ["POST", "GET"])
            #expect(server.log.last?.body.isEmpty == true && server.log.last?.header("content-type") == nil)
        }
    }

    @Test(arguments: [307, 308]) func redirectThatKeepsTheMethodSendsTheBodyAgain(status: Int) async throws {
        try await withClient { client, server async throws in
            server.on("/p", Answer(status: status, headers: [("Location", "/q")]))
            server.on("/q", Answer(body: .text("ok")))
            #expect(await client.answer(try post(server, "/p", "body")).status == 200)
            #expect(server.log.map(\.body) == [Array("body".utf8), Array("body".utf8)])
        }
    }

    @Test(arguments: [301, 302, 303]) func otherRedirectsAreTheAnswer(status: Int) async throws {
        try await withClient { client, server async throws in
            server.on("/p", Answer(status: status, headers: [("Location", "/q")]))
            #expect(await client.answer(try post(server, "/p", "body")).status == status)
            #expect(server.log.count == 1)
        }
    }

    @Test(arguments: ["body", ""]) func anotherServerGetsNothing(body: String) async throws {
        let other = try LoopbackServer()
        defer { other.stop() }
        try await withClient { client, server async throws in
            server.on("/p", Answer(status: 307, headers: [("Location", "\(other.url)/q")]))
            guard case .refusedRedirect = await client.answer(try post(server, "/p", body)).error else {
                Issue.record("followed")
                return
            }
            #expect(other.log.isEmpty)
        }
    }

    @Test func requestThatGoesOutOnceIsNotRepeated() async throws {
        try await withClient { client, server async throws in
            server.on("/503", Answer(status: 503))
            server.on("/close", Answer.raw([], faults: [.closes]))
            for target in ["/503", "/close"] {
                var request = try server.request(target, .metadata)
                request.isRepeated = false
                _ = await client.answer(request)
                #expect(server.requests(target).count == 1, "\(target)")
            }
        }
    }

    /// A server that thinks longer than a dead connection is given time, on a connection that was used before.
    @Test func slowAnswerIsNotAskedForAgain() async throws {
        try await withClient { client, server async throws in
            server.on("*", Answer(body: .text("ok")))
            server.on("/slow", Answer(body: .text("ok")).with(.delay(.seconds(4))))
            #expect(await client.answer(try server.request("/first", .metadata)).status == 200)
            var request = try server.request("/slow", .metadata)
            request.isRepeated = false
            #expect(await client.answer(request).status == 200)
            #expect(server.requests("/slow").count == 1)
        }
    }

    @Test func targetThatRefusesIsNotAskedAgainFromTheStart() async throws {
        try await withClient { client, server async throws in
            server.on("/a", Answer(status: 302, headers: [("Location", "/b")]))
            server.on("/b", Answer(status: 403))
            var request = try server.request("/a", .metadata)
            request.isRepeated = false
            #expect(await client.answer(request).status == 403)
            #expect(server.log.map(\.target) == ["/a", "/b"])
        }
    }
}
