import Glibc
import LoopbackServer
import Platform
import Testing

@Suite struct LoopbackServerTests {
    @Test func pipelinedRequestsAreAnsweredInOrder() throws {
        let server = try LoopbackServer()
        server.on("/a", Answer(body: .text("first")))
        server.on("/b", Answer(body: .text("second")))
        let client = try RawClient(port: server.port)
        client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\nGET /c HTTP/1.1\r\n\r\n")
        #expect(client.readAnswer().body == Array("first".utf8))
        #expect(client.readAnswer().body == Array("second".utf8))
        #expect(client.readAnswer().status == 404)
        #expect(server.log.map(\.target) == ["/a", "/b", "/c"])
        #expect(server.connectionsOpened == 1)
    }

    @Test func aHeadInManyPiecesIsRead() throws {
        let server = try LoopbackServer()
        server.on("/a", Answer(body: .text("ok")))
        let client = try RawClient(port: server.port)
        for byte in Array("GET /a HTTP/1.1\r\nX-Field:  value\r\n\r\n".utf8) { client.send([byte]) }
        #expect(client.readAnswer().status == 200)
        #expect(server.log.first?.header("x-field") == "value")
    }

    @Test func responderSeesBodyCountsAndNumbers() throws {
        let server = try LoopbackServer()
        let seen = Lock<[ServerRequest]>([])
        server.on("/up", method: "POST") { request, _ in
            seen.withLock { $0.append(request) }
            return Answer(status: 201)
        }
        let body = Array("0123456789".utf8)
        for _ in 0..<2 {
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                client.get("/up", method: "POST", headers: ["Content-Length: 10"])
                client.send(body)
                #expect(client.readAnswer().status == 201)
            }
        }
        let requests = seen.withLock { $0 }
        #expect(requests.map(\.count) == [0, 1, 2, 3])
        #expect(requests.map(\.connectionRequest) == [0, 1, 0, 1])
        #expect(requests.map(\.connection) == [0, 0, 1, 1])
        #expect(requests.allSatisfy { $0.body == body })
        #expect(server.log.allSatisfy { $0.body == body })
        #expect(server.connectionsOpened == 2)
        server.clearLog()
        #expect(server.log.isEmpty)
        #expect(server.connectionsOpened == 0)
    }

    @Test func aClientThatWaitsToSendItsBodyIsToldTo() throws {
        let server = try LoopbackServer()
        server.on("*", Answer(status: 204))
        let client = try RawClient(port: server.port)
        client.get("/up", method: "PUT", headers: ["Content-Length: 3", "Expect: 100-continue"])
        #expect(client.readHead() == ["HTTP/1.1 100 Continue"])
        client.send("abc")
        #expect(client.readAnswer().status == 204)
        #expect(server.log.map(\.body) == [Array("abc".utf8)])
    }

    @Test func theMostSpecialResponderAnswers() throws {
        let server = try LoopbackServer()
        for (target, method, body) in [
            ("*", nil, "rest"), ("/a", nil, "any"), ("/a", "POST", "post"), ("/a?q=1", nil, "query"),
            ("*", "DELETE", "delete"),
        ] {
            server.on(target, method: method, Answer(body: .text(body)))
        }
        let client = try RawClient(port: server.port)
        for (method, target, body) in [
            ("GET", "/a", "any"), ("POST", "/a", "post"), ("GET", "/a?q=1", "query"), ("GET", "/%61", "rest"),
            ("DELETE", "/z", "delete"),
        ] {
            client.get(target, method: method)
            #expect(String(decoding: client.readAnswer().body, as: UTF8.self) == body)
        }
    }

    @Test(arguments: [
        ("nonsense\r\n\r\n", 400), ("GET /\r\n\r\n", 400), ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        ("PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        ("PUT / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
        ("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        ("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 200_000), 431),
    ])
    func whatIsNoRequestIsRefused(_ text: String, _ status: Int) throws {
        let server = try LoopbackServer()
        server.on("*", Answer())
        let client = try RawClient(port: server.port)
        client.send(text)
        #expect(client.readAnswer().status == status)
        #expect(client.readToEnd().end == .closed)
    }

    @Test func whoHasACompleteAnswerFindsItInTheLog() throws {
        let server = try LoopbackServer()
        server.on("*", FileResource.pattern(300_000).responder)
        let threads = try (0..<4).map { number in
            try Thread.start(name: "client") {
                guard let client = try? RawClient(port: server.port) else { return }
                for step in 0..<50 {
                    client.get("/\(number)/\(step)", headers: step % 2 == 0 ? [] : ["Range: bytes=7-9"])
                    let length = client.readAnswer().body.count
                    let logged = server.log.last { $0.target == "/\(number)/\(step)" }
                    #expect(logged?.bytesSent == length)
                    #expect(logged?.status == (step % 2 == 0 ? 200 : 206))
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(server.log.count == 200)
        #expect(server.totals.bytes == 100 * 300_000 + 100 * 3)
        #expect((1...4).contains(server.maximumConcurrentRequests))
        #expect(server.maximumConcurrentConnections == 4)
    }

    @Test func oneAfterAnotherIsNeverTwoAtOnce() throws {
        let server = try LoopbackServer()
        server.on("*", FileResource.pattern(100_000).responder)
        let clients = [try RawClient(port: server.port), try RawClient(port: server.port)]
        for step in 0..<100 {
            clients[step % 2].get("/")
            #expect(clients[step % 2].readAnswer().body.count == 100_000)
        }
        #expect(server.maximumConcurrentRequests == 1)
    }

    @Test func manyShortConnections() throws {
        let server = try LoopbackServer()
        server.on("/", Answer(body: .text("x")))
        for _ in 0..<300 {
            let client = try RawClient(port: server.port)
            client.get("/", headers: ["Connection: close"])
            #expect(client.readAnswer().status == 200)
            #expect(client.readToEnd().end == .closed)
        }
        #expect(server.connectionsOpened == 300)
        #expect(server.log.count == 300)
    }

    @Test func stopEndsWhateverGoesOnAndStartTakesTheSamePort() throws {
        let server = try LoopbackServer()
        server.on("/stall", Answer(body: .pattern(0..<1000), faults: [.stall(afterBody: 10)]))
        server.on("/delay", Answer(faults: [.delay(.seconds(3600))]))
        server.on("/slow", Answer(body: .pattern(0..<1000), faults: [.rate(bytesPerSecond: 1)]))
        server.on("/huge", Answer(body: .pattern(0..<1 << 40)))
        server.on("/silence") { _, connection in
            connection.waitForClose(atMost: .seconds(3600))
            return nil
        }
        let targets = ["/stall", "/delay", "/slow", "/huge", "/silence"]
        let clients = try targets.map { target in
            let client = try RawClient(port: server.port)
            client.get(target)
            return client
        }
        _ = try RawClient(port: server.port)
        let deadline = Instant.now() + .seconds(20)
        while server.log.count < targets.count, Instant.now() < deadline { usleep(1000) }
        #expect(server.log.count == targets.count)

        let start = Instant.now()
        server.stop()
        #expect(Instant.now() - start < .seconds(10))
        for client in clients[1...2] { #expect(client.readToEnd().end != .open) }
        #expect(throws: RawClient.ConnectFailure.self) { try RawClient(port: server.port) }

        try server.start()
        server.on("/", Answer(body: .text("again")))
        let client = try RawClient(port: server.port)
        client.get("/")
        #expect(client.readAnswer().body == Array("again".utf8))
        server.stop()
        server.stop()
    }
}
