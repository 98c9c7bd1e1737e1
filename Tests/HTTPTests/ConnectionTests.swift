import HTTP
import LoopbackServer
import Platform
import Testing

/// Connections that are used again, and those that have died meanwhile.
@Suite(.bounded) struct ConnectionTests {
    @Test func manyRequestsUseOneConnection() async throws {
        try await withClient { client, server async throws in
            server.on("/f", FileResource.pattern(1000).responder)
            let request = try server.request("/f", .metadata)
            for _ in 0..<1000 {
                let record = await client.run(request)
                guard record.isSuccess, record.body.count == 1000 else {
                    Issue.record("\(record)")
                    return
                }
            }
            #expect(server.connectionsOpened == 1)
            let statistics = client.statistics()
            #expect(statistics.requests == 1000 && statistics.connectionsOpened == 1)
            #expect(statistics.bytesReceived == 1_000_000)
            #expect(statistics.running == 0 && statistics.queued == 0)
        }
    }

    /// Field case B32: the second request on each connection is answered with a reset.
    @Test func aResetOfAReusedConnectionIsRepeatedSilently() async throws {
        try await withClient { client, server async throws in
            let file = FileResource.pattern(300_000)
            server.on("*") { request, connection in
                guard request.connectionRequest > 0 else { return file.answer(to: request) }
                connection.reset()
                return nil
            }
            for _ in 0..<6 {
                let record = await client.run(try server.request("/f"))
                #expect(record.isSuccess && record.body == pattern(0..<300_000))
            }
        }
    }

    /// The same with an orderly end instead of a reset.
    @Test func theEndOfAReusedConnectionIsRepeatedSilently() async throws {
        try await withClient { client, server async throws in
            server.on("*") { request, _ in request.connectionRequest > 0 ? nil : Answer(body: .text("x")) }
            for _ in 0..<6 { #expect(try await client.run(server.request("/f")).body == Array("x".utf8)) }
        }
    }

    @Test func aFreshConnectionThatFailsIsNotRepeated() async throws {
        try await withClient { client, server async throws in
            server.on("/f") { _, connection in
                connection.reset()
                return nil
            }
            guard case .noAnswer = await client.run(try server.request("/f")).error else {
                Issue.record("answered")
                return
            }
            #expect(server.log.count == 1)
        }
    }

    /// As after a router forgot the connection: nothing comes, not even a reset.
    @Test func aSilentReusedConnectionIsReplaced() async throws {
        try await withClient { client, server async throws in
            server.on("/f") { request, connection in
                guard request.connectionRequest > 0 else { return Answer(body: .text("x")) }
                connection.waitForClose(atMost: .seconds(60))
                return nil
            }
            #expect(try await client.run(server.request("/f")).isSuccess)
            let start = Instant.now()
            #expect(try await client.run(server.request("/f")).body == Array("x".utf8))
            #expect(Instant.now() - start >= .seconds(3))
            #expect(server.connectionsOpened == 2 && server.log.count == 3)
        }
    }

    /// A server that is slow by itself is asked twice at most.
    @Test func aSlowServerIsWaitedFor() async throws {
        try await withClient { client, server async throws in
            server.on("/quick", Answer(body: .text("quick")))
            server.on("/slow", Answer(body: .text("slow"), faults: [.delay(.milliseconds(3600))]))
            _ = await client.run(try server.request("/quick"))
            #expect(try await client.run(server.request("/slow")).body == Array("slow".utf8))
            #expect(server.requests("/slow").count == 2)
        }
    }

    @Test func restartedServersAreFoundAgain() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .text("x")))
            for _ in 0..<3 {
                #expect(try await client.run(server.request("/f")).isSuccess)
                server.stop()
                try server.start()
            }
        }
    }
}
