import Glibc
import HTTP
import Platform
import Testing

@Suite(.bounded) struct UploadLoginTests {
    private static let digest = "WWW-Authenticate: Digest realm=\"x\", nonce=\"n1\", qop=\"auth\", algorithm=MD5\r\n"
    private static let basic = "Basic dXNlcjpwdw=="

    /// One request as the server saw it: the kind of login, and whether the form was in it.
    private struct Try: Hashable, Sendable {
        var scheme: String
        var hasForm: Bool

        init(_ scheme: String, hasForm: Bool = true) {
            self.scheme = scheme
            self.hasForm = hasForm
        }

        init(_ form: RawConnection.Form) {
            let words = form.header("Authorization")?.split(separator: " ")
            self.init(words?.first.map(String.init) ?? "none", hasForm: !form.body.isEmpty)
        }
    }

    private static func run(
        uploads: Int = 1, configure: @escaping (inout HTTPConfiguration, RawServer) -> Void = withPassword,
        answer: @escaping @Sendable (RawConnection, RawConnection.Form) -> Void
    ) async throws -> (tries: [Try], statuses: [Int?]) {
        let tries = Received<Try>()
        var statuses: [Int?] = []
        try await withRawServer { connection in
            connection.serveForms { form in
                tries.add(Try(form))
                answer(connection, form)
            }
        } configure: {
            configure(&$0, $1)
        } body: { client, server async throws in
            let content = try TemporaryContent(Array("hello".utf8))
            for _ in 0..<uploads { statuses.append(await client.run(try content.form(to: server.url)).status) }
        }
        return (tries.all, statuses)
    }

    private static func withPassword(_ configuration: inout HTTPConfiguration, _ server: RawServer) {
        configuration.credentials = [
            Origin(scheme: "http", host: "127.0.0.1", port: server.port): Credentials(user: "user", password: "pw")
        ]
    }

    /// A 401 after ten gigabytes is no way to ask.
    @Test func basicIsSentAtOnce() async throws {
        let (tries, statuses) = try await Self.run { connection, form in
            connection.answer(form.header("Authorization") == Self.basic ? 200 : 401)
        }
        #expect(tries == [Try("Basic")] && statuses == [200])
    }

    @Test func withoutAPasswordNothingIsSent() async throws {
        let (tries, statuses) = try await Self.run(configure: { _, _ in }) { connection, _ in
            connection.answer(401, headers: Self.digest)
        }
        #expect(tries == [Try("none")] && statuses == [401])
    }

    @Test func aWrongPasswordIsA401() async throws {
        let (tries, statuses) = try await Self.run(uploads: 2) { connection, _ in
            connection.answer(401, headers: "WWW-Authenticate: Basic realm=\"digest \"\r\n", "no")
        }
        #expect(tries == [Try("Basic"), Try("Basic")] && statuses == [401, 401])
    }

    /// From then on the password is not sent in the clear any more, and no form in vain.
    @Test func digestIsUsedOnceAskedFor() async throws {
        let (tries, statuses) = try await Self.run(uploads: 2) { connection, form in
            let header = form.header("Authorization") ?? ""
            let isIn = header.hasPrefix("Digest username=\"user\"") && header.contains("nonce=\"n1\"")
            connection.answer(
                isIn ? 200 : 401, headers: "WWW-Authenticate: Basic realm=\"x\"\r\n" + Self.digest, "text")
        }
        let empty = Try("none", hasForm: false)
        #expect(tries == [Try("Basic"), empty, Try("Digest"), empty, Try("Digest")])
        #expect(statuses == [200, 200])
    }

    @Test func aWrongDigestIsA401() async throws {
        let (tries, statuses) = try await Self.run { connection, _ in
            connection.answer(401, headers: Self.digest, "no")
        }
        #expect(tries == [Try("Basic"), Try("none", hasForm: false), Try("Digest")] && statuses == [401])
    }

    /// libcurl would send the form again by itself.
    @Test func anAnswerThatTheDigestIsStaleIsA401() async throws {
        let (tries, statuses) = try await Self.run { connection, form in
            let isStale = form.header("Authorization")?.hasPrefix("Digest") ?? false
            connection.answer(
                401, headers: Self.digest.replacing("\r\n", with: isStale ? ", stale=true\r\n" : "\r\n"), "old")
        }
        #expect(tries == [Try("Basic"), Try("none", hasForm: false), Try("Digest")] && statuses == [401])
    }

    @Test func digestIsAskedForWhileTheFormGoesOut() async throws {
        let heads = Received<String>()
        try await withRawServer { connection in
            while let head = connection.readHead() {
                heads.add(head)
                let form = RawConnection.Form(head: head, body: [])
                if form.header("Authorization")?.hasPrefix("Basic") ?? false {
                    connection.waitUntilFull()
                    connection.answer(401, headers: Self.digest + "Connection: close\r\n", "no")
                    return connection.waitForClose()
                }
                let length = Int(form.header("Content-Length") ?? "") ?? 0
                guard connection.skip(length) == length else { return }
                if length > 0 { connection.answer(200) } else { connection.answer(401, headers: Self.digest) }
            }
        } configure: {
            Self.withPassword(&$0, $1)
        } body: { client, server async throws in
            let content = try TemporaryContent([])
            try content.truncate(to: 100 << 20)
            #expect(await client.run(try content.form(to: server.url)).status == 200)
        }
        #expect(heads.all.count == 3)
    }

    @Test func aNetrcFileCounts() async throws {
        let path = "/tmp/skyfs-http-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let text = "machine 127.0.0.1 login user password pw\n"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && write(descriptor, text, text.utf8.count) == text.utf8.count)
        close(descriptor)
        defer { unlink(path) }
        let (tries, statuses) = try await Self.run(configure: { configuration, _ in configuration.netrc = path }) {
            connection, form in
            let header = form.header("Authorization") ?? ""
            connection.answer(header.hasPrefix("Digest") ? 200 : 401, headers: Self.digest)
        }
        #expect(tries == [Try("Basic"), Try("none", hasForm: false), Try("Digest")] && statuses == [200])
    }

    @Test func aGivenAuthorizationWins() async throws {
        let seen = Received<String?>()
        try await withRawServer { connection in
            connection.serveForms { form in
                seen.add(form.header("Authorization"))
                connection.answer(200)
            }
        } configure: {
            Self.withPassword(&$0, $1)
        } body: { client, server async throws in
            var form = try TemporaryContent([1]).form(to: server.url)
            form.headers = [("Authorization", "Bearer t0ken")]
            #expect(await client.run(form).status == 200)
        }
        #expect(seen.all == ["Bearer t0ken"])
    }
}
