import LoopbackServer
import Platform
import Testing

@Suite struct FaultTests {
    private let body = Body.pattern(0..<200_000)

    private func client(for answer: Answer, headers: [String] = []) throws -> (RawClient, LoopbackServer) {
        let server = try LoopbackServer()
        server.on("/", answer)
        let client = try RawClient(port: server.port, of: server)
        client.get("/", headers: headers)
        return (client, server)
    }

    @Test func cutEndsTheConnectionInMidBody() throws {
        let (client, server) = try client(for: Answer(body: body, faults: [.cut(afterBody: 150_000)]))
        #expect(client.readHead().contains("Content-Length: 200000"))
        let (bytes, end) = client.readToEnd()
        #expect(isPattern(bytes, 0..<150_000))
        #expect(end == .closed)
        #expect(server.log.map(\.bytesSent) == [150_000])
        #expect(server.log.map(\.status) == [200])
    }

    @Test func cutAtZeroSendsTheHeadOnly() throws {
        let (client, server) = try client(for: Answer(body: body, faults: [.cut(afterBody: 0)]))
        #expect(client.readHead().contains("Content-Length: 200000"))
        let (bytes, end) = client.readToEnd()
        #expect(bytes.isEmpty)
        #expect(end == .closed)
        #expect(server.log.map(\.bytesSent) == [0])
    }

    @Test func resetComesAfterTheBytes() throws {
        let (client, _) = try client(for: Answer(body: body, faults: [.resetAfter(100_000)]))
        _ = client.readHead()
        let (bytes, end) = client.readToEnd()
        #expect(isPattern(bytes, 0..<100_000))
        #expect(end == .reset)
    }

    @Test func aResponderCanResetByItself() throws {
        let server = try LoopbackServer()
        server.on("/") { _, connection in
            try? connection.write(Array("HTTP/1.1 200 OK\r\n".utf8))
            connection.reset()
            return nil
        }
        let client = try RawClient(port: server.port)
        client.get("/")
        let (bytes, end) = client.readToEnd()
        #expect(String(decoding: bytes, as: UTF8.self) == "HTTP/1.1 200 OK\r\n")
        #expect(end == .reset)
        #expect(server.log.map(\.status) == [nil])
    }

    @Test func stallSendsAPartAndThenNothing() throws {
        let (client, server) = try client(for: Answer(body: body, faults: [.stall(afterBody: 70_000)]))
        _ = client.readHead()
        #expect(isPattern(client.read(70_000).bytes, 0..<70_000))
        #expect(!client.hasMore(within: 100))
        #expect(server.log.map(\.bytesSent) == [70_000])
    }

    @Test func delayComesBeforeTheFirstByte() throws {
        let start = Instant.now()
        let (client, _) = try client(for: Answer(body: .text("x"), faults: [.delay(.milliseconds(80))]))
        #expect(client.readAnswer().status == 200)
        #expect(Instant.now() - start >= .milliseconds(80))
    }

    @Test func rateIsNotExceeded() throws {
        let start = Instant.now()
        let (client, _) = try client(for: Answer(body: body, faults: [.rate(bytesPerSecond: 1_000_000)]))
        #expect(isPattern(client.readAnswer().body, 0..<200_000))
        // 0.2 s, less the first step of 20 ms that leaves at once.
        #expect(Instant.now() - start >= .milliseconds(175))
    }

    @Test func withoutALengthTheConnectionsEndIsTheEnd() throws {
        let (client, _) = try client(for: Answer(body: .text("hello"), faults: [.noContentLength]))
        #expect(client.readHead() == ["HTTP/1.1 200 OK"])
        let (bytes, end) = client.readToEnd()
        #expect(bytes == Array("hello".utf8))
        #expect(end == .closed)
    }

    @Test func chunksAreFramed() throws {
        let (client, server) = try client(
            for: Answer(body: .text("hello world"), faults: [.chunked, .closes]))
        #expect(client.readHead() == ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"])
        let (bytes, end) = client.readToEnd()
        #expect(String(decoding: bytes, as: UTF8.self) == "b\r\nhello world\r\n0\r\n\r\n")
        #expect(end == .closed)
        #expect(server.log.map(\.bytesSent) == [11])
    }

    @Test func chunksCanBeCutAndEmpty() throws {
        let (cut, _) = try client(for: Answer(body: .text("hello"), faults: [.chunked, .cut(afterBody: 3)]))
        _ = cut.readHead()
        #expect(String(decoding: cut.readToEnd().bytes, as: UTF8.self) == "3\r\nhel\r\n")
        let (empty, _) = try client(for: Answer(faults: [.chunked, .closes]))
        _ = empty.readHead()
        #expect(String(decoding: empty.readToEnd().bytes, as: UTF8.self) == "0\r\n\r\n")
    }

    @Test func http10ClosesAfterTheAnswer() throws {
        let (client, _) = try client(for: Answer(body: .text("x"), faults: [.http10]))
        #expect(client.readHead() == ["HTTP/1.0 200 OK", "Content-Length: 1"])
        #expect(client.readToEnd().end == .closed)
    }

    @Test func brokenHeadsAreSentAsTheyAre() throws {
        let answer = Answer(
            headers: [("Content-Length", "5"), ("content-length", "-6")], body: .text("hello"), faults: [.closes])
        let (client, _) = try client(for: answer)
        #expect(client.readHead() == ["HTTP/1.1 200 OK", "Content-Length: 5", "content-length: -6"])
        #expect(client.readToEnd().bytes == Array("hello".utf8))
    }

    @Test func rawBytesAreSentToTheByte() throws {
        let text = "HTTP/1.1 206 Odd\nContent-Length: 2\r\n\r\nab"
        let (client, server) = try client(for: .raw(text, faults: [.closes]))
        #expect(String(decoding: client.readToEnd().bytes, as: UTF8.self) == text)
        #expect(server.log.map(\.status) == [206])
        #expect(server.log.map(\.bytesSent) == [2])
        let (other, _) = try self.client(for: .raw("no head at all", faults: [.closes]))
        #expect(String(decoding: other.readToEnd().bytes, as: UTF8.self) == "no head at all")
    }

    @Test func aHeadStatesTheLengthOfTheBodyItLeavesOut() throws {
        let server = try LoopbackServer()
        server.on("/", Answer(body: body))
        let client = try RawClient(port: server.port)
        client.get("/", method: "HEAD")
        #expect(client.readHead().contains("Content-Length: 200000"))
        client.get("/", headers: ["Connection: close"])
        #expect(client.readAnswer().body.count == 200_000)
        #expect(client.readToEnd().end == .closed)
    }

    @Test func statusesComeInSequence() throws {
        let server = try LoopbackServer()
        let file = FileResource.pattern(10)
        server.on("/", StatusSequence([503, 500], retryAfter: "2", then: file.responder).responder)
        let client = try RawClient(port: server.port)
        var answers: [(status: Int, head: [String], body: [UInt8])] = []
        for _ in 0..<4 {
            client.get("/")
            answers.append(client.readAnswer())
        }
        #expect(answers.map(\.status) == [503, 500, 200, 200])
        #expect(answers.map { $0.head.contains("Retry-After: 2") } == [true, true, false, false])
    }

    @Test func bodiesCanBeMadeWhenTheyAreSent() throws {
        let generated = Body.generated(size: 1_000_000) { Pattern.bytes($0.lowerBound + 5..<$0.upperBound + 5) }
        let server = try LoopbackServer()
        server.on("/", FileResource(generated).responder)
        let client = try RawClient(port: server.port)
        client.get("/")
        #expect(isPattern(client.readAnswer().body, 5..<1_000_005))
        client.get("/", headers: ["Range: bytes=-10"])
        #expect(isPattern(client.readAnswer().body, 999_995..<1_000_005))
    }
}
