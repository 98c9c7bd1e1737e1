import HTTP
import LoopbackServer
import Platform
import Testing

@Suite(.bounded) struct AuthenticationTests {
    private static func withCredentials(
        user: String = "user", password: String = "pw", _ body: (HTTPClient, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        var configuration = HTTPConfiguration(userAgent: "skyfs-test/1", log: Log(.nowhere))
        configuration.credentials = [
            Origin(scheme: "http", host: "127.0.0.1", port: server.port): Credentials(user: user, password: password)
        ]
        let client = try HTTPClient(configuration)
        defer { client.shutdown() }
        try await body(client, server)
    }

    private static let basic = Answer(
        status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")], body: .text("please log in"))

    private static func basicLogin(_ request: ServerRequest, _: ServerConnection) -> Answer? {
        request.header("authorization") == "Basic dXNlcjpwdw==" ? Answer(body: .text("in")) : basic
    }

    @Test func basicIsSentOnlyWhenAskedForAndThenAtOnce() async throws {
        try await Self.withCredentials { client, server async throws in
            server.on("/f", Self.basicLogin)
            for _ in 0..<3 {
                let record = await client.run(try server.request("/f"))
                #expect(record.heads.map(\.status) == [200] && record.body == Array("in".utf8))
            }
            #expect(server.log.map(\.status) == [401, 200, 200, 200])
        }
    }

    @Test func wrongCredentialsAreA401() async throws {
        try await Self.withCredentials(password: "wrong") { client, server async throws in
            server.on("/f", Self.basicLogin)
            let record = await client.run(try server.request("/f"))
            #expect(record.isSuccess && record.heads.map(\.status) == [401])
            #expect(record.body == Array("please log in".utf8))
        }
    }

    @Test func withoutCredentialsThe401Comes() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Self.basicLogin)
            let record = await client.run(try server.request("/f"))
            #expect(record.heads.map(\.status) == [401] && server.log.count == 1)
        }
    }

    /// The server changes from Basic to Digest; the password is not sent in the clear again.
    @Test func digestIsPreferredAndAWayThatFailsIsForgotten() async throws {
        try await Self.withCredentials { client, server async throws in
            let wantsDigest = Lock(false)
            server.on("/f") { request, connection in
                guard wantsDigest.withLock({ $0 }) else { return Self.basicLogin(request, connection) }
                let header = request.header("authorization") ?? ""
                // MD5 of "user:x:pw", nonce and "GET:/f" is libcurl's business; the form shows that it was used.
                if header.hasPrefix("Digest username=\"user\""), header.contains("response=\""),
                    header.contains("nonce=\"n1\"")
                {
                    return Answer(body: .text("digested"))
                }
                return Answer(
                    status: 401,
                    headers: [
                        ("WWW-Authenticate", "Digest realm=\"x\", nonce=\"n1\", qop=\"auth\", algorithm=MD5"),
                        ("WWW-Authenticate", "Basic realm=\"x\""),
                    ])
            }
            #expect(try await client.run(server.request("/f")).body == Array("in".utf8))
            wantsDigest.withLock { $0 = true }
            #expect(try await client.run(server.request("/f")).status == 401)
            for _ in 0..<2 {
                server.clearLog()
                #expect(try await client.run(server.request("/f")).body == Array("digested".utf8))
                #expect(!server.log.contains { $0.header("authorization")?.hasPrefix("Basic") ?? false })
            }
        }
    }

    @Test func aTargetWithCredentialsInItIsNotBelieved() async throws {
        try await withClient { client, server async throws in
            server.on("/a", Answer(status: 302, headers: [("Location", "http://user:pw@127.0.0.1:\(server.port)/f")]))
            server.on("/f", Self.basicLogin)
            #expect(try await client.run(server.request("/a")).status == 401)
            #expect(!server.log.contains { $0.header("authorization") != nil })
        }
    }
}
