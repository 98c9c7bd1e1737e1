import HTTP
import LoopbackServer
import Platform
import Testing

/// What an upload looks like on the wire.
@Suite(.bounded) struct UploadTests {
    /// Sends a form and gives what the server got.
    private static func send(_ content: [UInt8], _ change: (inout FormUpload) -> Void) async throws
        -> RawConnection.Form
    {
        let received = Received<RawConnection.Form>()
        try await withRawServer { connection in
            connection.serveForms { form in
                received.add(form)
                connection.answer(201, "stored")
            }
        } body: { client, server async throws in
            var form = try TemporaryContent(content).form(to: server.url + "/up?a=b")
            change(&form)
            let record = await client.run(form)
            #expect(record.status == 201 && record.text == "stored" && record.finishes == 1)
        }
        return try #require(received.all.count == 1 ? received.all.first : nil)
    }

    @Test func theWholeRequest() async throws {
        let form = try await Self.send(Array("hello".utf8)) {
            $0.fields = [("first", "1"), ("second", "zwei ü")]
            $0.fileField = "upload"
            $0.fileName = "note.txt"
            $0.headers = [("Idempotency-Key", "k-1"), ("X-Other", "y")]
        }
        let boundary = form.boundary
        #expect(boundary.count >= 30 && boundary.count <= 70)
        let host = try #require(form.header("Host"))
        #expect(
            form.head == """
                POST /up?a=b HTTP/1.1\r
                Host: \(host)\r
                User-Agent: skyfs-test/1\r
                Accept: */*\r
                Accept-Encoding: identity\r
                Idempotency-Key: k-1\r
                X-Other: y\r
                Content-Length: \(form.body.count)\r
                Content-Type: multipart/form-data; boundary=\(boundary)
                """)
        #expect(
            form.text == """
                --B\r
                Content-Disposition: form-data; name="first"\r
                \r
                1\r
                --B\r
                Content-Disposition: form-data; name="second"\r
                \r
                zwei ü\r
                --B\r
                Content-Disposition: form-data; name="upload"; filename="note.txt"\r
                Content-Type: text/plain\r
                \r
                hello\r
                --B--\r

                """)
    }

    @Test func everyFormHasItsOwnBoundary() async throws {
        let (one, other) = (try await Self.send([1]) { _ in }, try await Self.send([1]) { _ in })
        #expect(one.boundary != other.boundary)
    }

    @Test(arguments: [
        ("a\"b.txt", "a%22b.txt"), ("a\nb\r\nc", "a%0Ab%0D%0Ac"), ("100%22 %.txt", "100%22 %.txt"),
        ("back\\slash\\", "back\\slash\\"), ("émoji 🎉.txt", "émoji 🎉.txt"), ("; filename=x", "; filename=x"),
        ("semi;colon,'quote'.tar.gz", "semi;colon,'quote'.tar.gz"), (" ", " "),
    ])
    func namesAreEscapedLikeBrowsersDo(name: String, escaped: String) async throws {
        let form = try await Self.send([]) {
            $0.fields = [(name, "v")]
            $0.fileName = name
        }
        #expect(
            form.text == """
                --B\r
                Content-Disposition: form-data; name="\(escaped)"\r
                \r
                v\r
                --B\r
                Content-Disposition: form-data; name="file"; filename="\(escaped)"\r
                Content-Type: text/plain\r
                \r
                \r
                --B--\r

                """)
    }

    @Test(arguments: ["two\nlines", "two\r\nlines\r\n", "", "--B--\r\n", "a\u{0}b"])
    func valuesGoOutAsTheyAre(value: String) async throws {
        let form = try await Self.send([]) { $0.fields = [("k", value)] }
        #expect(
            form.text.hasPrefix(
                "--B\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\n\(value)\r\n--B\r\n"
                    + "Content-Disposition: form-data; name=\"file\""))
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 3_000_001] as [Int64])
    func filesOfAllSizes(size: Int64) async throws {
        let content = pattern(0..<size)
        let form = try await Self.send(content) { _ in }
        let head = Array("Content-Type: text/plain\r\n\r\n".utf8)
        let start = try #require(form.body.firstRange(of: head)).upperBound
        let tail = Array("\r\n--\(form.boundary)--\r\n".utf8)
        #expect(form.body.suffix(tail.count) == tail[...])
        #expect(form.body[start...].dropLast(tail.count) == content[...])
    }

    /// No more is sent than was promised.
    @Test func aFileThatGrewIsSentAsItWas() async throws {
        let form = try await Self.send([]) { form in
            let content = try? TemporaryContent(Array("hello, more".utf8))
            content.flatMap { try? $0.form(to: form.url.text, size: 5) }.map { form = $0 }
        }
        #expect(form.text.hasSuffix("\r\n\r\nhello\r\n--B--\r\n"))
    }

    @Test func theLengthOfALargeFileIsExactAndCancellingEndsIt() async throws {
        let heads = Received<String>()
        let isGone = Received<Bool>()
        try await withRawServer { connection in
            guard let head = connection.readHead() else { return }
            heads.add(head)
            connection.waitForClose()
            isGone.add(true)
        } body: { client, server async throws in
            let content = try TemporaryContent([])
            let size: Int64 = 10 << 30
            try content.truncate(to: size)
            let observer = RecordingObserver()
            let id = client.upload(try content.form(to: server.url), observer)
            #expect(await eventually { !heads.all.isEmpty && !observer.record.progress.isEmpty })
            client.cancel(id)
            let record = await observer.finished()
            #expect(record.error == .cancelled && record.isFullySent == false)
            #expect(await eventually { !isGone.all.isEmpty })
            let form = RawConnection.Form(head: try #require(heads.all.first), body: [])
            // The empty form of the same name, and the file.
            let empty = try await Self.send([]) { _ in }
            #expect(form.header("Content-Length") == String(size + Int64(empty.body.count)))
            #expect(record.progress.last?.total == size + Int64(empty.body.count))
            #expect(form.header("Transfer-Encoding") == nil && form.header("Expect") == nil)
            client.cancel(id)
            #expect(observer.record.finishes == 1)
        }
    }

    @Test func unfitFormsAreNotSent() async throws {
        try await withRawServer {
            $0.waitForClose()
        } body: { client, server async throws in
            let content = try TemporaryContent([])
            let changes: [(inout FormUpload) -> Void] = [
                { $0.fileName = "a\u{0}b" }, { $0.fileField = "a\u{0}" }, { $0.fields = [("\u{0}", "v")] },
                { $0.mediaType = "text/plain\r\nX: y" }, { $0.mediaType = "" },
                { $0.headers = [("X", "a\r\nb: c")] }, { $0.headers = [("Content-Length", "5")] },
                { $0.headers = [("transfer-encoding", "chunked")] }, { $0.headers = [("Expect", "100-continue")] },
                { $0.headers = [("content-type", "text/plain")] },
            ]
            for change in changes {
                var form = try content.form(to: server.url)
                change(&form)
                let record = await client.run(form)
                guard case .refusedRequest = record.error else {
                    Issue.record("\(record)")
                    continue
                }
                #expect(record.isFullySent == false && record.finishes == 1)
            }
            #expect(server.connectionCount == 0)
        }
    }

    /// Nor may one large file fill the memory.
    @Test func progressAndCounters() async throws {
        try await withRawServer { connection in
            while let head = connection.readHead() {
                guard
                    let length = RawConnection.Form(head: head, body: []).header("Content-Length").flatMap({ Int($0) }),
                    connection.skip(length) == length
                else { return }
                connection.answer(200)
            }
        } body: { client, server async throws in
            let content = try TemporaryContent([])
            try content.truncate(to: 1 << 30)
            let before = residentBytes()
            let observer = RecordingObserver()
            _ = client.upload(try content.form(to: server.url), observer)
            var peak: Int64 = 0
            #expect(
                await eventually(within: .seconds(90)) {
                    peak = max(peak, residentBytes())
                    return observer.record.result != nil
                })
            let record = observer.record
            #expect(record.status == 200)
            // Other tests need memory at the same time, but none as much as this file.
            #expect(peak - before < 512 << 20)
            let sent = record.progress.map(\.sent)
            #expect(sent == sent.sorted() && Set(sent).count == sent.count)
            let total = try #require(record.progress.first?.total)
            #expect(total > 1 << 30 && total < 1 << 30 + 1000)
            #expect(record.progress.allSatisfy { $0.total == total } && sent.last == total)

            let other = await client.run(try TemporaryContent([1]).form(to: server.url))
            #expect(other.status == 200)
            let statistics = client.statistics()
            #expect(statistics.uploads == 2 && statistics.requests == 2 && statistics.running == 0)
            #expect(statistics.uploadedBytes == total + (other.progress.last?.total ?? 0))
            // Soon after each other, they share a connection.
            #expect(1...2 ~= statistics.connectionsOpened)
        }
    }

    /// Uploads have their own allowance: they neither wait for the host's connections nor take them.
    @Test func uploadsDoNotCountAmongTheHostsConnections() async throws {
        try await withRawServer { connection in
            guard let head = connection.readHead() else { return }
            if head.hasPrefix("GET") { connection.answer(200, "got") }
            connection.waitForClose()
        } configure: { configuration, _ in
            configuration.connectionsPerHost = 1
        } body: { client, server async throws in
            let content = try TemporaryContent([1])
            let observers = (0..<20).map { _ in RecordingObserver() }
            let ids = try observers.map { client.upload(try content.form(to: server.url), $0) }
            #expect(
                await eventually {
                    observers.allSatisfy { $0.record.progress.last.map { $0.sent == $0.total } ?? false }
                })
            let url = try HTTPURL.parse(server.url).url
            let answer = await client.run(Request(.get, url, purpose: .demand))
            #expect(answer.body == Array("got".utf8))
            for (id, observer) in zip(ids, observers) {
                client.cancel(id)
                let record = await observer.finished()
                // They had all gone out, and nobody knows what became of them.
                #expect(record.error == .cancelled && record.isFullySent == true)
            }
        }
    }

    @Test func theEndOfTheClientEndsUploads() async throws {
        let server = try RawServer { $0.waitForClose() }
        defer { server.stop() }
        let client = try HTTPClient(HTTPConfiguration(userAgent: "skyfs-test/1", log: Log(.nowhere)))
        let form = try TemporaryContent([1]).form(to: server.url)
        let (running, late) = (RecordingObserver(), RecordingObserver())
        _ = client.upload(form, running)
        #expect(await eventually { server.connectionCount == 1 })
        client.shutdown()
        _ = client.upload(form, late)
        #expect(running.record.error == .cancelled && running.record.finishes == 1)
        #expect(late.record.error == .cancelled && late.record.isFullySent == false && late.record.finishes == 1)
        #expect(server.connectionCount == 1)
    }
}
