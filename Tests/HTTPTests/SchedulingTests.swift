import HTTP
import LoopbackServer
import Platform
import Testing

/// How the requests of one host share its connections.
@Suite(.bounded) struct SchedulingTests {
    @Test func aHostHasNoMoreConnectionsThanItsLimit() async throws {
        try await withClient({ $0.connectionsPerHost = 3 }) { client, server async throws in
            server.on("*", Answer(body: .pattern(0..<20_000), faults: [.delay(.milliseconds(20))]))
            let consumers = (0..<40).map { _ in RecordingConsumer() }
            for (number, consumer) in consumers.enumerated() {
                let purposes: [Request.Purpose] = [.demand, .metadata, .prefetch]
                _ = client.start(try server.request("/\(number)", purposes[number % 3]), consumer)
            }
            for consumer in consumers { #expect(await consumer.finished().isSuccess) }
            // Where the machine is so slow that a request is silent for a second, others take its place.
            #expect(server.maximumConcurrentRequests <= 3 * 4)
            #expect(server.connectionsOpened < 40)
        }
    }

    /// As a listing has to come while files are read (field case B37).
    @Test func silentFilesDoNotBlockOthers() async throws {
        try await withClient({
            $0.connectionsPerHost = 2
            $0.stallTimeout = .seconds(100)
        }) { client, server async throws in
            server.on("/stalled", Answer(body: .pattern(0..<1000), faults: [.stall(afterBody: 100)]))
            server.on("/good", Answer(body: .text("good")))
            let stalled = (1...5).map { _ in RecordingConsumer() }
            for (number, consumer) in stalled.enumerated() {
                var request = try server.request("/stalled")
                request.resource = UInt64(number + 1)
                _ = client.start(request, consumer)
            }
            #expect(try await client.run(server.request("/good", .metadata)).isSuccess)
            #expect(try await client.run(server.request("/good", .prefetch)).isSuccess)
            #expect(stalled.allSatisfy { $0.record.outcome == nil })
        }
    }

    @Test func oneResourceLeavesRoomForOthers() async throws {
        try await withClient({ $0.connectionsPerHost = 3 }) { client, server async throws in
            server.on("/busy", Answer(body: .pattern(0..<50_000_000), faults: [.rate(bytesPerSecond: 1_000_000)]))
            server.on("/good", Answer(body: .text("good")))
            var request = try server.request("/busy")
            request.resource = 1
            for _ in 0..<5 { _ = client.start(request, RecordingConsumer()) }
            #expect(try await client.run(server.request("/good", .prefetch)).isSuccess)
            #expect(server.requests("/busy").count == 2)
            #expect(client.statistics().queued == 3)
        }
    }

    @Test func oneDeadHostDoesNotSlowAnother() async throws {
        let dead = try LoopbackServer()
        dead.on("*") { _, connection in
            connection.waitForClose(atMost: .seconds(60))
            return nil
        }
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .text("x")))
            for _ in 0..<50 { _ = client.start(try dead.request("/f"), RecordingConsumer()) }
            #expect(await eventually { dead.log.count >= 8 })
            let start = Instant.now()
            for _ in 0..<50 { #expect(try await client.run(server.request("/f")).isSuccess) }
            #expect(Instant.now() - start < .seconds(30))
        }
        dead.stop()
    }

    /// Field case B35: everything for that host waits.
    @Test(arguments: [429, 503])
    func aHostThatAsksForItGetsAPause(status: Int) async throws {
        try await withClient { client, server async throws in
            let asked = Lock<[Instant]>([])
            server.on("/busy") { _, _ in
                asked.withLock { $0.append(.now()) }
                return Answer(status: status, headers: [("Retry-After", "2")])
            }
            server.on("/other") { _, _ in
                asked.withLock { $0.append(.now()) }
                return Answer(body: .text("x"))
            }
            #expect(try await client.run(server.request("/busy")).status == status)
            let purposes: [Request.Purpose] = [.demand, .metadata, .prefetch]
            let consumers = purposes.map { _ in RecordingConsumer() }
            for (purpose, consumer) in zip(purposes, consumers) {
                _ = client.start(try server.request("/other", purpose), consumer)
            }
            for consumer in consumers { #expect(await consumer.finished().isSuccess) }
            let times = asked.withLock { $0 }
            #expect(times.count == 4)
            #expect(times.dropFirst().allSatisfy { $0 - times[0] >= .seconds(2) })
            #expect(client.hostHealth().first?.pausedFor == nil)
        }
    }

    @Test func aPauseIsToldAndBounded() async throws {
        try await withClient { client, server async throws in
            server.on("/busy", Answer(status: 503, headers: [("Retry-After", "3000")]))
            #expect(try await client.run(server.request("/busy")).status == 503)
            let paused = try #require(client.hostHealth().first?.pausedFor)
            #expect(paused > .seconds(60) && paused <= .seconds(120))
            #expect(client.hostHealth().first?.lastError == nil)
        }
    }

    @Test func timersRunOnceAndInTime() async throws {
        try await withClient { client, _ async throws in
            let fired = Lock<[Int]>([])
            let start = Instant.now()
            // On the network thread, so that it cannot be late.
            _ = client.schedule(after: .zero) {
                client.cancel(client.schedule(after: .milliseconds(10)) { fired.withLock { $0.append(9) } })
            }
            _ = client.schedule(after: .milliseconds(60)) { fired.withLock { $0.append(2) } }
            _ = client.schedule(after: .milliseconds(30)) { fired.withLock { $0.append(1) } }
            _ = client.schedule(after: .zero) { fired.withLock { $0.append(0) } }
            #expect(await eventually { fired.withLock { $0.count } >= 3 })
            #expect(Instant.now() - start >= .milliseconds(60))
            #expect(fired.withLock { $0 } == [0, 1, 2])
        }
    }
}
