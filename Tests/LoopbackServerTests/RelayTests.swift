import Glibc
import LoopbackServer
import Platform
import Testing

@Suite struct RelayTests {
    @Test func aNewConnectionCostsARoundTripAndEveryRequestAnother() throws {
        let server = try LoopbackServer()
        server.on("/", Answer(body: .text("x")))
        let relay = try Relay(to: server.port, delay: .milliseconds(20))
        let start = Instant.now()
        let client = try RawClient(port: relay.port)
        client.get("/")
        #expect(client.readAnswer().status == 200)
        #expect(Instant.now() - start >= .milliseconds(80))
        let second = Instant.now()
        client.get("/")
        #expect(client.readAnswer().status == 200)
        #expect(Instant.now() - second >= .milliseconds(40))
        #expect(relay.connectionsOpened == 1)
        relay.stop()
    }

    @Test func theRateHoldsForEachConnection() throws {
        let server = try LoopbackServer()
        server.on("/", FileResource.pattern(400_000).responder)
        let relay = try Relay(to: server.port, delay: .milliseconds(5), bytesPerSecond: 2_000_000)
        let start = Instant.now()
        let clients = try (0..<4).map { _ in try RawClient(port: relay.port) }
        for client in clients { client.get("/") }
        for client in clients { #expect(isPattern(client.readAnswer().body, 0..<400_000)) }
        #expect(Instant.now() - start >= .milliseconds(200))
        #expect(relay.maximumConcurrentConnections == 4)
        relay.stop()
    }

    @Test func muchDataPassesUnchangedBothWays() throws {
        let server = try LoopbackServer()
        server.on("/") { request, _ in Answer(body: .bytes(request.body)) }
        let relay = try Relay(to: server.port, delay: .milliseconds(1))
        let client = try RawClient(port: relay.port)
        client.get("/", method: "POST", headers: ["Content-Length: 20000000"])
        client.send(Pattern.bytes(0..<20_000_000))
        #expect(isPattern(client.readAnswer().body, 0..<20_000_000))
        relay.stop()
    }

    @Test func theSenderIsHeldBackWhenNobodyReads() throws {
        let server = try LoopbackServer()
        server.on("/", FileResource.pattern(1 << 30).responder)
        let relay = try Relay(to: server.port, delay: .zero, bytesPerSecond: 1_000_000_000)
        let client = try RawClient(port: relay.port)
        client.get("/")
        _ = client.readHead()
        // Once two looks 100 ms apart see the same, everything on the way is full.
        var (last, now) = (-1, 0)
        let deadline = Instant.now() + .seconds(20)
        while now != last || now == 0, Instant.now() < deadline {
            last = now
            usleep(100_000)
            now = server.log.first?.bytesSent ?? 0
        }
        #expect(now < 64 << 20)
        relay.stop()
    }

    @Test func endsPassInBothDirections() throws {
        let server = try LoopbackServer()
        server.on("/", Answer(body: .text("bye"), faults: [.noContentLength]))
        let relay = try Relay(to: server.port, delay: .milliseconds(5))
        let client = try RawClient(port: relay.port)
        client.get("/")
        _ = client.readHead()
        let (bytes, end) = client.readToEnd()
        #expect(bytes == Array("bye".utf8))
        #expect(end == .closed)
        relay.stop()
    }

    @Test func aResetOfTheServerReachesTheClientAfterTheBytes() throws {
        let server = try LoopbackServer()
        server.on("/", Answer(body: .pattern(0..<100_000), faults: [.resetAfter(50_000)]))
        let relay = try Relay(to: server.port, delay: .milliseconds(5))
        let client = try RawClient(port: relay.port)
        client.get("/")
        _ = client.readHead()
        let (bytes, end) = client.readToEnd()
        #expect(isPattern(bytes, 0..<50_000))
        #expect(end == .reset)
        relay.stop()
    }

    @Test func theServerLearnsThatTheClientIsGone() throws {
        let server = try LoopbackServer()
        let isGone = Condition(false)
        server.on("/") { _, connection in
            let wasClosed = connection.waitForClose(atMost: .seconds(20))
            isGone.update { $0 = wasClosed }
            return nil
        }
        let relay = try Relay(to: server.port, delay: .milliseconds(5))
        do {
            let client = try RawClient(port: relay.port)
            client.get("/")
            let deadline = Instant.now() + .seconds(20)
            while server.log.isEmpty, Instant.now() < deadline { usleep(1000) }
        }
        #expect(isGone.wait(until: { $0 }, before: .now() + .seconds(20)) { $0 } == true)
        relay.stop()
    }

    /// A client that goes away in the middle of a long answer ends the transfer on the server, too.
    @Test func anAbandonedTransferEnds() throws {
        let server = try LoopbackServer()
        server.on("/", FileResource.pattern(1 << 40).responder)
        let relay = try Relay(to: server.port, delay: .milliseconds(5), bytesPerSecond: 50_000_000)
        do {
            let client = try RawClient(port: relay.port)
            client.get("/")
            #expect(client.read(1_000_000).bytes.count == 1_000_000)
        }
        let deadline = Instant.now() + .seconds(20)
        while relay.openConnections > 0, Instant.now() < deadline { usleep(1000) }
        #expect(relay.openConnections == 0)
        relay.stop()
    }

    @Test func aRefusalBecomesAReset() throws {
        let server = try LoopbackServer()
        server.stop()
        let relay = try Relay(to: server.port, delay: .milliseconds(1))
        let client = try RawClient(port: relay.port)
        #expect(client.readToEnd().end == .reset)
        relay.stop()
    }

    @Test func stopEndsOpenConnections() throws {
        let server = try LoopbackServer()
        server.on("/", Answer(body: .pattern(0..<100), faults: [.stall(afterBody: 10)]))
        let relay = try Relay(to: server.port, delay: .seconds(30))
        let client = try RawClient(port: relay.port)
        client.get("/")
        let start = Instant.now()
        relay.stop()
        relay.stop()
        #expect(Instant.now() - start < .seconds(10))
        #expect(client.readToEnd().end != .open)
    }
}
