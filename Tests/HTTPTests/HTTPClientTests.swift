import LoopbackServer
import Platform
import Testing

@testable import HTTP

/// The client against a server that plays exact bytes.
struct HTTPClientTests {
    /// Collects one answer.
    private final class Collector: ResponseConsumer {
        struct State: Sendable {
            var head: ResponseHead?
            var body: [UInt8] = []
            var outcomes: [Result<Void, TransferError>] = []
            /// One for each outcome; nil for success.
            var failures: [TransferError?] {
                outcomes.map { if case .failure(let error) = $0 { error } else { nil } }
            }
        }

        let state = Condition(State())
        private let stopsAfter: Int?

        init(stopsAfter: Int? = nil) { self.stopsAfter = stopsAfter }

        func receive(head: ResponseHead) -> Bool {
            state.update { $0.head = head }
            return stopsAfter != 0
        }

        func receive(body: RawSpan) -> Bool {
            state.update { state in
                body.withUnsafeBytes { state.body.append(contentsOf: $0) }
                return stopsAfter.map { state.body.count < $0 } ?? true
            }
        }

        func finish(_ outcome: Result<Void, TransferError>) { state.update { $0.outcomes.append(outcome) } }

        func wait() throws -> State {
            try #require(state.wait(until: { !$0.outcomes.isEmpty }, before: .now() + .seconds(60)) { $0 })
        }
    }

    private func client(_ change: (inout HTTPConfiguration) -> Void = { _ in }) throws -> HTTPClient {
        var configuration = HTTPConfiguration(userAgent: "skyfs-test", log: Log(.nowhere))
        change(&configuration)
        return try HTTPClient(configuration)
    }

    private func url(_ server: LoopbackServer, _ path: String) throws -> HTTPURL {
        try HTTPURL.parse(server.url + path).url
    }

    private func fetch(
        _ client: HTTPClient, _ request: Request, limit: Int = 1 << 20, patience: Duration = .seconds(30)
    ) throws -> Result<Response, TransferError> {
        let answer = Condition<Result<Response, TransferError>?>(nil)
        client.fetch(request, limit: limit, patience: patience) { result in answer.update { $0 = result } }
        return try #require(answer.wait(until: { $0 != nil }, before: .now() + .seconds(60)) { $0 } ?? nil)
    }

    @Test func rangesAndValidatorsAreSent() throws {
        let server = try LoopbackServer()
        server.on("/f", FileResource(.pattern(0..<1000)).responder)
        let client = try client()
        defer { client.shutdown() }
        var request = Request(.get, try url(server, "/f"), purpose: .demand)
        request.range = 100..<200
        request.ifMatch = "\"e1\""
        let collector = Collector()
        _ = client.start(request, collector)
        let answer = try collector.wait()
        #expect(answer.head?.status == 206)
        #expect(answer.head?.contentRange == .satisfied(bytes: 100..<200, total: 1000))
        #expect(answer.body == Pattern.bytes(100..<200))
        #expect(server.log.first?.range == "bytes=100-199")
        server.stop()
    }

    @Test func aCutBodyIsTold() throws {
        let server = try LoopbackServer()
        server.on("/f", Answer(status: 200, body: .pattern(0..<1000)).with(.cut(afterBody: 300)))
        let client = try client()
        defer { client.shutdown() }
        let collector = Collector()
        _ = client.start(Request(.get, try url(server, "/f"), purpose: .demand), collector)
        let answer = try collector.wait()
        #expect(answer.failures == [.cut(received: 300)])
        #expect(answer.body == Pattern.bytes(0..<300))
        server.stop()
    }

    @Test func silenceIsAStall() throws {
        let server = try LoopbackServer()
        server.on("/f", Answer(status: 200, body: .pattern(0..<1000)).with(.stall(afterBody: 10)))
        let client = try client { $0.stallTimeout = .milliseconds(300) }
        defer { client.shutdown() }
        let collector = Collector()
        _ = client.start(Request(.get, try url(server, "/f"), purpose: .demand), collector)
        #expect(try collector.wait().failures == [.stalled])
        server.stop()
    }

    @Test func theConsumerMayStop() throws {
        let server = try LoopbackServer()
        server.on("/f", Answer(status: 200, body: .pattern(0..<10_000_000)))
        let client = try client()
        defer { client.shutdown() }
        for limit in [0, 1] {
            let collector = Collector(stopsAfter: limit)
            _ = client.start(Request(.get, try url(server, "/f"), purpose: .demand), collector)
            let answer = try collector.wait()
            guard case .success? = answer.outcomes.first else {
                Issue.record("stopping is no failure")
                continue
            }
            #expect(answer.body.count < 10_000_000)
        }
        server.stop()
    }

    @Test func cancellingAndShutdownFinishOnce() throws {
        let server = try LoopbackServer()
        server.on("/f") { _, connection in
            connection.waitForClose(atMost: .seconds(30))
            return nil
        }
        let client = try client()
        let cancelled = Collector()
        client.cancel(client.start(Request(.get, try url(server, "/f"), purpose: .demand), cancelled))
        #expect(try cancelled.wait().failures == [.cancelled])
        let running = (0..<20).map { _ in Collector() }
        for collector in running {
            _ = client.start(Request(.get, try url(server, "/f"), purpose: .metadata), collector)
        }
        client.shutdown()
        for collector in running { #expect(try collector.wait().failures == [.cancelled]) }
        server.stop()
    }

    @Test func refusedConnectionsAndUnknownHostsAreTold() throws {
        let server = try LoopbackServer()
        let dead = try url(server, "/")
        server.stop()
        let client = try client()
        defer { client.shutdown() }
        let collector = Collector()
        _ = client.start(Request(.get, dead, purpose: .metadata), collector)
        guard case .failure(.notConnected)? = try collector.wait().outcomes.first else {
            Issue.record("a refused connection")
            return
        }
    }

    @Test func retryAfterIsKept() throws {
        let server = try LoopbackServer()
        server.on("/f") { request, _ in
            request.count < 1
                ? Answer(status: 503, headers: [("Retry-After", "1")]) : Answer(status: 200, body: .bytes([1]))
        }
        let client = try client()
        defer { client.shutdown() }
        let start = Instant.now()
        let response = try fetch(client, Request(.get, try url(server, "/f"), purpose: .metadata)).get()
        #expect(response.body == [1])
        #expect(Instant.now() - start >= .seconds(1))
        #expect(client.statistics().retries == 1)
        server.stop()
    }

    @Test func largeAnswersAndLongWaitsEnd() throws {
        let server = try LoopbackServer()
        server.on("/large", Answer(status: 200, body: .pattern(0..<5000)))
        server.on("/mute") { _, connection in
            connection.waitForClose(atMost: .seconds(30))
            return nil
        }
        let client = try client()
        defer { client.shutdown() }
        let large = try fetch(client, Request(.get, try url(server, "/large"), purpose: .metadata), limit: 4999)
        guard case .failure(.tooLarge) = large else {
            Issue.record("over the limit")
            return
        }
        let mute = Request(.get, try url(server, "/mute"), purpose: .metadata)
        guard case .failure(.timedOut) = try fetch(client, mute, patience: .milliseconds(300)) else {
            Issue.record("no answer within the patience")
            return
        }
        server.stop()
    }

    @Test func connectionsOfAHostAreLimited() throws {
        let server = try LoopbackServer()
        server.on("*", Answer(status: 200, body: .bytes([1])).with(.delay(.milliseconds(20))))
        let client = try client { $0.connectionsPerHost = 3 }
        defer { client.shutdown() }
        let done = Condition(0)
        for number in 0..<60 {
            client.fetch(
                Request(.get, try url(server, "/\(number)"), purpose: .metadata), limit: 10, patience: .seconds(60)
            ) { _ in done.update { $0 += 1 } }
        }
        let all: Void? = done.wait(until: { $0 == 60 }, before: .now() + .seconds(60)) { _ in }
        #expect(all != nil)
        #expect(server.maximumConcurrentConnections <= 3)
        #expect(server.connectionsOpened <= 3)
        server.stop()
    }

    @Test func headersCannotSmuggle() throws {
        let server = try LoopbackServer()
        let client = try client()
        defer { client.shutdown() }
        for value in ["a\r\nX-Evil: 1", "a\nb", "a\0b"] {
            var request = Request(.get, try url(server, "/"), purpose: .metadata)
            request.headers = [("Accept", value)]
            let collector = Collector()
            _ = client.start(request, collector)
            guard case .failure(.other)? = try collector.wait().outcomes.first else {
                Issue.record("a header with a line end was sent")
                continue
            }
        }
        #expect(server.log.isEmpty)
        server.stop()
    }

    @Test func credentialsAndCookiesStayWithTheirOrigin() throws {
        let other = try LoopbackServer()
        other.on("/o", Answer(status: 200, body: .bytes([2])))
        let server = try LoopbackServer()
        let target = "\(other.url)/o"
        server.on("/f") { request, _ in
            guard request.header("authorization") != nil else {
                return Answer(
                    status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\""), ("Set-Cookie", "sid=1; Path=/")])
            }
            return Answer(status: 302, headers: [("Location", target), ("Set-Cookie", "sid=2; Path=/")])
        }
        let origin = try url(server, "/").origin
        let client = try client { $0.credentials[origin] = Credentials(user: "user", password: "pw") }
        defer { client.shutdown() }
        let response = try fetch(client, Request(.get, try url(server, "/f"), purpose: .metadata)).get()
        #expect(response.body == [2])
        let received = try #require(other.log.first)
        #expect(!received.headers.contains { ["authorization", "cookie"].contains($0.0) })
        #expect(server.log.contains { $0.headers.contains { $0.0 == "authorization" && $0.1 == "Basic dXNlcjpwdw==" } })
        server.stop()
        other.stop()
    }
}
