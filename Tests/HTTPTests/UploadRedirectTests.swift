import HTTP
import Platform
import Testing

@Suite(.bounded) struct UploadRedirectTests {
    @Test(arguments: [307, 308])
    func theSameFormGoesToTheTarget(status: Int) async throws {
        let received = Received<RawConnection.Form>()
        try await withRawServer { connection in
            connection.serveForms { form in
                received.add(form)
                if form.head.hasPrefix("POST /new ") { return connection.answer(201, "stored") }
                connection.answer(status, headers: "Location: /new\r\n", "elsewhere")
            }
        } body: { client, server async throws in
            var form = try TemporaryContent(pattern(0..<300_000)).form(to: server.url + "/old")
            form.fields = [("k", "v")]
            form.headers = [("Idempotency-Key", "k-1")]
            let record = await client.run(form)
            #expect(record.status == 201 && record.text == "stored" && record.finishes == 1)
            #expect(record.response?.head.url.path == "/new")
        }
        let forms = received.all
        try #require(forms.count == 2)
        #expect(forms.allSatisfy { $0.head.hasPrefix("POST ") && $0.header("Idempotency-Key") == "k-1" })
        #expect(forms[0].text == forms[1].text && forms[1].body.count > 300_000)
    }

    /// They ask for no form: what they mean is not decided here.
    @Test(arguments: [301, 302, 303])
    func otherRedirectsAreTheAnswer(status: Int) async throws {
        let received = Received<RawConnection.Form>()
        try await withRawServer { connection in
            connection.serveForms { form in
                received.add(form)
                connection.answer(status, headers: "Location: /new\r\n", "see there")
            }
        } body: { client, server async throws in
            let record = await client.run(try TemporaryContent([1]).form(to: server.url))
            #expect(record.status == status && record.text == "see there")
        }
        #expect(received.all.count == 1)
    }

    @Test func aRedirectWithoutATargetIsTheAnswer() async throws {
        try await withRawServer { connection in
            connection.serveForms { _ in connection.answer(307) }
        } body: { client, server async throws in
            #expect(await client.run(try TemporaryContent([1]).form(to: server.url)).status == 307)
        }
    }

    @Test func aCircleEnds() async throws {
        let received = Received<RawConnection.Form>()
        try await withRawServer { connection in
            connection.serveForms { form in
                received.add(form)
                connection.answer(308, headers: "Location: /\r\n")
            }
        } body: { client, server async throws in
            let record = await client.run(try TemporaryContent([1]).form(to: server.url))
            #expect(record.error == .tooManyRedirects && record.isFullySent == false)
        }
        #expect(received.all.count == 11)
    }

    @Test(arguments: ["ftp://127.0.0.1/", "javascript:alert(1)"])
    func aRefusedTargetIsNotTriedAgain(location: String) async throws {
        try await withRawServer { connection in
            connection.serveForms { _ in connection.answer(307, headers: "Location: \(location)\r\n") }
        } body: { client, server async throws in
            let record = await client.run(try TemporaryContent([1]).form(to: server.url))
            guard case .refusedRedirect = record.error else {
                Issue.record("\(record)")
                return
            }
            #expect(record.isFullySent == false && record.error?.isTransient == false)
        }
    }

    /// The rest of the form is not sent in vain.
    @Test(arguments: [false, true])
    func aRedirectWhileTheFormGoesOut(isReset: Bool) async throws {
        let (skipped, lengths) = (Received<Int>(), Received<Int>())
        try await withRawServer { connection in
            guard let head = connection.readHead() else { return }
            if head.hasPrefix("POST /new ") {
                let length = Int(RawConnection.Form(head: head, body: []).header("Content-Length") ?? "") ?? 0
                lengths.add(connection.skip(length))
                connection.answer(200)
                return connection.waitForClose()
            }
            connection.waitUntilFull()
            connection.answer(307, headers: "Location: /new\r\nConnection: close\r\n")
            if isReset { return connection.reset() }
            skipped.add(connection.skip(.max))
        } body: { client, server async throws in
            let content = try TemporaryContent([])
            try content.truncate(to: 100 << 20)
            #expect(await client.run(try content.form(to: server.url + "/old")).status == 200)
            #expect(await eventually { isReset || !skipped.all.isEmpty })
        }
        #expect(skipped.all.allSatisfy { $0 < 100 << 20 })
        #expect(lengths.all.count == 1 && lengths.all.allSatisfy { $0 > 100 << 20 })
    }

    @Test func anotherOriginGetsTheFormButNoSecrets() async throws {
        let received = Received<RawConnection.Form>()
        let other = try RawServer { connection in
            connection.serveForms { form in
                received.add(form)
                connection.answer(401, headers: "WWW-Authenticate: Digest realm=\"x\", nonce=\"n\"\r\n")
            }
        }
        defer { other.stop() }
        try await withRawServer { connection in
            connection.serveForms { form in
                #expect(form.header("Authorization") == "Basic dXNlcjpwdw==" && form.header("X-Token") == "secret")
                connection.answer(307, headers: "Location: \(other.url)/\r\nSet-Cookie: c=secret\r\n")
            }
        } configure: { configuration, server in
            configuration.credentials = [
                Origin(scheme: "http", host: "127.0.0.1", port: server.port): Credentials(user: "user", password: "pw")
            ]
        } body: { client, server async throws in
            var form = try TemporaryContent([1]).form(to: server.url)
            form.headers = [("X-Token", "secret")]
            #expect(await client.run(form).status == 401)
        }
        try #require(received.all.count == 1)
        let head = received.all[0].head.lowercased()
        #expect(!head.contains("authorization") && !head.contains("secret") && !head.contains("cookie"))
    }
}
