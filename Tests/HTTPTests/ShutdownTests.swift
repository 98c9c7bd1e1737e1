import HTTP
import LoopbackServer
import Platform
import Testing

@Suite(.bounded) struct ShutdownTests {
    @Test func everythingEndsAsCancelled() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.on("*") { _, connection in
            connection.waitForClose(atMost: .seconds(60))
            return nil
        }
        let client = try HTTPClient(HTTPConfiguration(userAgent: "skyfs-test/1", log: Log(.nowhere)))
        let consumers = (0..<30).map { _ in RecordingConsumer() }
        for consumer in consumers { _ = client.start(try server.request("/f"), consumer) }
        #expect(await eventually { server.log.count >= 8 })
        let start = Instant.now()
        client.shutdown()
        #expect(Instant.now() - start < .seconds(20))
        for consumer in consumers { #expect(consumer.record.error == .cancelled && consumer.record.finishes == 1) }
    }

    @Test func whatIsAskedAfterwardsIsCancelled() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let client = try HTTPClient(HTTPConfiguration(userAgent: "skyfs-test/1", log: Log(.nowhere)))
        client.shutdown()
        let errors = [
            await client.run(try server.request("/f")).error, await client.answer(try server.request("/f")).error,
        ]
        #expect(errors == [.cancelled, .cancelled])
        client.cancel(client.schedule(after: .zero) { Issue.record("ran after the end") })
    }

    /// A fetch that waits before its next try has neither a request nor a connection.
    @Test func fetchesThatPauseEndToo() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.on("/f", Answer(status: 503, headers: [("Retry-After", "20")]))
        let client = try HTTPClient(HTTPConfiguration(userAgent: "skyfs-test/1", log: Log(.nowhere)))
        let results = Lock<[Result<Response, TransferError>]>([])
        client.fetch(try server.request("/f"), limit: 0, patience: .seconds(100)) { result in
            results.withLock { $0.append(result) }
        }
        #expect(await eventually { client.statistics().retries == 1 })
        client.shutdown()
        #expect(results.withLock { $0.map(\.error) } == [.cancelled])
    }

    @Test func startsThatRaceWithTheEndFinishOnce() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let request = try server.request("/f")
        for _ in 0..<20 {
            let client = try HTTPClient(HTTPConfiguration(userAgent: "skyfs-test/1", log: Log(.nowhere)))
            let consumers = (0..<40).map { _ in RecordingConsumer() }
            let threads = try (0..<2).map { half in
                try Thread.start(name: "starter") {
                    for consumer in consumers[half * 20..<half * 20 + 20] {
                        client.cancel(client.start(request, consumer))
                    }
                }
            }
            client.shutdown()
            for thread in threads { thread.join() }
            for consumer in consumers { #expect(consumer.record.finishes == 1) }
        }
    }
}
