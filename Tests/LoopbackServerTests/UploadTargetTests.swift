import LoopbackServer
import Platform
import Testing

@Suite struct UploadTargetTests {
    private let server: LoopbackServer
    private let target = UploadTarget()

    init() throws {
        server = try LoopbackServer()
        target.install(on: server)
    }

    /// A form with one text field and one file.
    private func form(_ content: String, name: String = "a.txt", boundary: String = "XyZ") -> String {
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\nv\r\n"
            + "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n"
            + "Content-Type: text/plain\r\n\r\n\(content)\r\n--\(boundary)--\r\n"
    }

    private func post(_ body: String, boundary: String = "XyZ", headers: [String] = [], to client: RawClient) {
        client.get(
            "/upload", method: "POST",
            headers: [
                "Content-Type: multipart/form-data; boundary=\(boundary)", "Content-Length: \(body.utf8.count)",
            ] + headers)
        client.send(body)
    }

    @Test func rememberedToTheByte() throws {
        let client = try RawClient(port: server.port)
        let name = "上海 100%22 \\x😀.txt"
        post(form("a\r\n--XyY\r\n--Xy --XyZ--", name: name), headers: ["Idempotency-Key: k1"], to: client)
        let answer = client.readAnswer()
        #expect(answer.status == 201)
        #expect(answer.body == Array("{\"ok\":true}".utf8))
        let upload = try #require(target.uploads.first)
        #expect(upload.key == "k1")
        #expect(upload.boundary == "XyZ")
        #expect(upload.parts.map(\.name) == ["k", "file"])
        #expect(upload.fields.map(\.text) == ["v"])
        let file = try #require(upload.file)
        #expect(file.fileName == name)
        #expect(file.mediaType == "text/plain")
        #expect(file.head.hasSuffix("\"; filename=\"\(name)\"\r\nContent-Type: text/plain"))
        #expect(file.size == 22)
        #expect(file.text == "a\r\n--XyY\r\n--Xy --XyZ--")
        #expect(upload.head.hasPrefix("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Type:"))
        #expect(upload.headerValues("content-type") == ["multipart/form-data; boundary=XyZ"])
        #expect(upload.contentLength == upload.bytesRead)
        #expect(upload.status == 201 && !upload.isOpen)
    }

    @Test(arguments: [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (3, "ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc"),
        (64, "fdeab9acf3710362bd2658cdc9a29e8f9c757fcf9811603a8c447cd1d9151108"),
        (119, "da18797ed7c3a777f0847f429724a2d8cd5138e6ed2895c3fa1a6d39d18f7ec6"),
    ])
    func contentsAreDigested(size: Int, digest: String) throws {
        let client = try RawClient(port: server.port)
        let content = String(decoding: (0..<size).map { UInt8($0) }, as: UTF8.self)
        post(form(content), to: client)
        #expect(client.readAnswer().status == 201)
        #expect(target.uploads.first?.file?.size == Int64(size))
        #expect(target.uploads.first?.file?.sha256 == digest)
    }

    @Test func formsComeInAnyPieces() throws {
        let body = form("x\r\n--\r\n\r\n\r--XyZ-")
        for size in [1, 2, 3, 7, 50] {
            let client = try RawClient(port: server.port)
            client.get(
                "/upload", method: "POST",
                headers: ["Content-Type: multipart/form-data; boundary=XyZ", "Content-Length: \(body.utf8.count)"])
            let bytes = Array(body.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                client.send(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(client.readAnswer().status == 201)
            #expect(target.uploads.last?.file?.text.elementsEqual("x\r\n--\r\n\r\n\r--XyZ-") == true)
        }
    }

    @Test(arguments: [
        ("preamble\r\n--XyZ\r\n", "does not begin with the boundary"),
        ("--XyZ\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\nv\r\n--XyZ--", "ends within the form"),
        ("--XyZ\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\nv\r\n--XyZ--\r\nx", "bytes after the form"),
        ("--XyZ\r\nContent-Disposition: form-data; name=k\r\n\r\nv\r\n--XyZ--\r\n", "no plain Content-Disposition"),
        (
            "--XyZ\r\nContent-Disposition: form-data; name=\"k\"l\"\r\n\r\nv\r\n--XyZ--\r\n",
            "no plain Content-Disposition"
        ),
        (
            "--XyZ\r\nContent-Disposition: form-data; name=\"k\"; filename=\"a\"; filename*=UTF-8''a\r\n\r\nv\r\n--XyZ--\r\n",
            "no plain Content-Disposition"
        ),
        (
            "--XyZ\r\nContent-Disposition: form-data; name=\"k\"\r\nContent-Type: text/plain\r\n\r\nv\r\n--XyZ--\r\n",
            "odd line"
        ),
        (
            "--XyZ\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nv\r\n"
                + "--XyZ\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\nv\r\n--XyZ--\r\n", "comes after a file"
        ),
        ("--XyZ++++", "neither a part nor the end"),
    ])
    func flawedFormsAreRefused(body: String, words: String) throws {
        let client = try RawClient(port: server.port)
        post(body, to: client)
        #expect(client.readAnswer().status == 400)
        let attempt = try #require(target.attempts.first)
        #expect(attempt.flaw?.contains(words) == true, "\(attempt.flaw ?? "none")")
        #expect(!attempt.isKept && attempt.status == 400)
    }

    @Test func oddContentTypesAreRefused() throws {
        for type in ["text/plain", "multipart/form-data; boundary=\"XyZ\"", "multipart/form-data; boundary="] {
            let client = try RawClient(port: server.port)
            client.get("/upload", method: "POST", headers: ["Content-Type: \(type)", "Content-Length: 0"])
            #expect(client.readAnswer().status == 400)
        }
        #expect(target.uploads.isEmpty)
    }

    @Test func chunksAreRefusedWith411() throws {
        let client = try RawClient(port: server.port)
        client.get("/upload", method: "POST", headers: ["Transfer-Encoding: chunked"])
        #expect(client.readAnswer().status == 411)
        #expect(client.readToEnd().end == .closed)
        #expect(target.attempts.map(\.status) == [411])
        #expect(target.attempts.map(\.contentLength) == [nil])
    }

    @Test func answersComeByScriptThenByRule() throws {
        target.script([.refuse(503, headers: [("Retry-After", "1")]), .accept])
        target.behave { $0.contentLength ?? 0 > 300 ? .refuse(413) : .accept }
        let client = try RawClient(port: server.port)
        var statuses: [Int] = []
        for content in ["a", "b", "c", String(repeating: "d", count: 300)] {
            post(form(content), to: client)
            statuses.append(client.readAnswer().status)
        }
        #expect(statuses == [503, 201, 201, 413])
        #expect(target.uploads.map { $0.file?.text } == ["b", "c"])
        target.clear()
        #expect(target.attempts.isEmpty)
    }

    @Test func resetsInTheMiddle() throws {
        target.behave(.reset(afterBody: 100))
        let client = try RawClient(port: server.port)
        post(form(String(repeating: "x", count: 1000)), to: client)
        #expect(client.readToEnd().end == .reset)
        #expect(target.wait { $0.first?.isOpen == false })
        #expect(target.attempts.map(\.bytesRead) == [100])
        #expect(target.uploads.isEmpty)
    }

    @Test func answersEarlyAndCloses() throws {
        target.behave(UploadBehaviour.refuse(413).reading(10))
        let client = try RawClient(port: server.port)
        client.get(
            "/upload", method: "POST",
            headers: ["Content-Type: multipart/form-data; boundary=XyZ", "Content-Length: 100000"])
        client.send("--XyZ\r\nCont")
        #expect(client.readAnswer().status == 413)
        #expect(client.readToEnd().end == .closed)
        #expect(target.attempts.map(\.bytesRead) == [10])
    }

    @Test func keepsAndLosesTheAnswer() throws {
        target.behave(.loseAnswer)
        let client = try RawClient(port: server.port)
        post(form("x"), to: client)
        #expect(client.readToEnd() == ([], .closed))
        #expect(target.uploads.map(\.status) == [nil])
    }

    @Test func staysSilent() throws {
        target.behave(UploadBehaviour(.silence, isKept: false))
        let client = try RawClient(port: server.port)
        post(form("x"), to: client)
        #expect(target.wait { $0.first?.bytesRead ?? 0 > 0 })
        #expect(!client.hasMore(within: 100))
        server.stop()
        #expect(client.readToEnd().end != .open)
        #expect(target.attempts.map(\.isOpen) == [false])
    }

    @Test func interimHeadsComeBeforeTheBodyIsRead() throws {
        let text = "HTTP/1.1 100 Continue\r\nX-Info: a\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
        target.behave(UploadBehaviour.accept.interim(text))
        let client = try RawClient(port: server.port)
        client.get(
            "/upload", method: "POST",
            headers: [
                "Content-Type: multipart/form-data; boundary=XyZ", "Content-Length: \(form("x").utf8.count)",
            ])
        #expect(client.readHead() == ["HTTP/1.1 100 Continue", "X-Info: a"])
        #expect(client.readHead() == ["HTTP/1.1 103 Early Hints"])
        client.send(form("x"))
        #expect(client.readAnswer().status == 201)
    }

    @Test func readsAtARateAndAnswersLate() throws {
        target.behave(UploadBehaviour.accept.at(bytesPerSecond: 100_000).after(.milliseconds(50)))
        let client = try RawClient(port: server.port)
        let start = Instant.now()
        post(form(String(repeating: "x", count: 20_000)), to: client)
        #expect(client.readAnswer().status == 201)
        // 0.2 s for the body, less the first step of 20 ms, and the pause.
        #expect(Instant.now() - start >= .milliseconds(220))
        #expect(target.uploads.first?.file?.size == 20_000)
    }

    @Test func countsHowManyAreOpen() throws {
        target.behave(UploadBehaviour.accept.after(.milliseconds(200)))
        let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
        for client in clients { post(form("x"), to: client) }
        for client in clients { #expect(client.readAnswer().status == 201) }
        #expect(target.maximumOpen == 3)
    }

    @Test func survivesARestart() throws {
        var client = try RawClient(port: server.port)
        post(form("one"), to: client)
        #expect(client.readAnswer().status == 201)
        server.stop()
        try server.start()
        client = try RawClient(port: server.port)
        post(form("two"), to: client)
        #expect(client.readAnswer().status == 201)
        #expect(target.uploads.map { $0.file?.text } == ["one", "two"])
        #expect(target.waitForUploads(2))
        #expect(!target.waitForUploads(3, atMost: .zero))
    }
}
