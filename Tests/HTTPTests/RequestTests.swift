import HTTP
import LoopbackServer
import Platform
import Testing

/// Single requests over a real connection.
@Suite(.bounded) struct RequestTests {
    @Test func deliversHeadAndBody() async throws {
        try await withClient { client, server async throws in
            server.on("/f", FileResource.pattern(300_000).responder)
            let record = await client.run(try server.request("/f"))
            #expect(record.isSuccess && record.finishes == 1)
            #expect(record.heads.map(\.status) == [200])
            let head = try #require(record.heads.first)
            #expect(head.contentLength == 300_000 && head.acceptsRanges == true)
            #expect(head.entityTag == EntityTag(opaque: "\"e1\"", isWeak: false))
            #expect(head.lastModified == 1_783_332_000)
            #expect(record.body == pattern(0..<300_000))
        }
    }

    @Test func sendsWhatTheRequestSays() async throws {
        try await withClient { client, server async throws in
            server.on("/f?a=b%20c", FileResource.pattern(1000).responder)
            var request = try server.request("/f?a=b%20c")
            request.range = 10..<20
            request.ifMatch = "\"e1\""
            request.headers = [("Accept", "text/html"), ("X-Extra", "naïve")]
            let record = await client.run(request)
            #expect(record.status == 206)
            #expect(record.heads.first?.contentRange == .satisfied(bytes: 10..<20, total: 1000))
            #expect(record.body == pattern(10..<20))
            let sent = try #require(server.log.first)
            #expect(sent.range == "bytes=10-19")
            #expect(sent.header("if-match") == "\"e1\"")
            #expect(sent.header("accept") == "text/html")
            #expect(sent.header("x-extra") == "naïve")
            #expect(sent.header("accept-encoding") == "identity")
            #expect(sent.header("user-agent") == "skyfs-test/1")
            #expect(sent.header("authorization") == nil && sent.header("cookie") == nil)
        }
    }

    @Test func headHasNoBody() async throws {
        try await withClient { client, server async throws in
            server.on("/f", FileResource.pattern(5 << 30).responder)
            for _ in 0..<2 {
                let record = await client.run(
                    try server.request("/f", .metadata, .head), RecordingConsumer { _ in false })
                #expect(record.isSuccess && record.heads.first?.contentLength == 5 << 30 && record.body.isEmpty)
            }
            #expect(server.log.map(\.method) == ["HEAD", "HEAD"])
            #expect(server.connectionsOpened == 1)
        }
    }

    @Test(arguments: [204, 304, 404, 416, 500])
    func everyStatusIsAnAnswer(status: Int) async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(status: status))
            let record = await client.run(try server.request("/f"))
            #expect(record.isSuccess && record.status == status && record.body.isEmpty)
        }
    }

    @Test func flawedRequestsAreNotSent() async throws {
        try await withClient { client, server async throws in
            var request = try server.request("/f")
            request.headers = [("X", "a\r\nEvil: b")]
            let record = await client.run(request)
            guard case .refusedRequest = record.error, record.error?.isTransient == false else {
                Issue.record("\(String(describing: record.outcome))")
                return
            }
            #expect(server.log.isEmpty && record.finishes == 1)
        }
    }

    @Test func stoppingAtTheHeadIsSuccess() async throws {
        try await withClient { client, server async throws in
            server.on("/big", FileResource.pattern(1 << 30).responder)
            let record = await client.run(try server.request("/big"), RecordingConsumer { _ in false })
            #expect(record.isSuccess && record.status == 200 && record.body.isEmpty)
            #expect(await eventually { server.log.first.map { $0.bytesSent < 1 << 30 } ?? false })
        }
    }

    @Test func aSmallBodyNobodyWantsKeepsTheConnection() async throws {
        try await withClient { client, server async throws in
            server.on("/page", Answer(status: 404, body: .pattern(0..<20_000)))
            for _ in 0..<6 {
                let record = await client.run(try server.request("/page"), RecordingConsumer { _ in false })
                #expect(record.isSuccess && record.body.isEmpty)
            }
            // One, unless the machine is so slow that the rest of a page is given up.
            #expect(server.connectionsOpened < 6)
        }
    }

    @Test func aBodyNobodyWantsIsNotWaitedFor() async throws {
        try await withClient { client, server async throws in
            server.on("/page", Answer(status: 404, body: .pattern(0..<20_000), faults: [.stall(afterBody: 100)]))
            let record = await client.run(try server.request("/page"), RecordingConsumer { _ in false })
            #expect(record.isSuccess && record.body.isEmpty)
        }
    }

    @Test func stoppingInTheBodyIsSuccess() async throws {
        try await withClient { client, server async throws in
            server.on("/big", FileResource.pattern(1 << 30).responder)
            let record = await client.run(try server.request("/big"), RecordingConsumer(maximumBody: 100_000))
            #expect(record.isSuccess)
            #expect(record.body == pattern(0..<Int64(record.body.count)) && record.body.count < 1 << 24)
        }
    }

    @Test func pausedTransfersTakeNoBytesAndDoNotStall() async throws {
        try await withClient({ $0.stallTimeout = .seconds(4) }) { client, server async throws in
            server.on("/f", FileResource.pattern(40 << 20).responder)
            let consumer = RecordingConsumer()
            let id = client.start(try server.request("/f"), consumer)
            client.setPaused(true, id)
            try await Task.sleep(for: .seconds(5))
            let paused = consumer.record
            #expect(paused.outcome == nil && paused.body.count < 40 << 20)
            client.setPaused(false, id)
            let record = await consumer.finished()
            #expect(record.isSuccess && record.body == pattern(0..<40 << 20))
        }
    }

    // MARK: Bodies of odd shape

    /// Field case B33.
    @Test func anHTTP10AnswerEndsWithItsConnection() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .pattern(0..<5000), faults: [.http10, .noContentLength]))
            for _ in 0..<2 {
                let record = await client.run(try server.request("/f"))
                #expect(record.isSuccess && record.body == pattern(0..<5000))
                #expect(record.heads.first?.contentLength == nil)
            }
        }
    }

    @Test func chunksAreJoined() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .pattern(0..<200_000), faults: [.chunked]))
            let record = await client.run(try server.request("/f"))
            #expect(record.isSuccess && record.body == pattern(0..<200_000))
            #expect(record.heads.first?.contentLength == nil)
        }
    }

    /// "hello\n" by gzip.
    private static let gzipped: [UInt8] = [
        0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xE7, 0x02, 0x00, 0x20, 0x30, 0x3A,
        0x36,
        0x06, 0, 0, 0,
    ]

    @Test func aCodingThatWasNotAskedForIsUndone() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(headers: [("Content-Encoding", "gzip")], body: .bytes(Self.gzipped)))
            var request = try server.request("/f")
            let decoded = await client.run(request)
            #expect(decoded.isSuccess && decoded.body == Array("hello\n".utf8))
            #expect(decoded.heads.first?.contentEncodings == ["gzip"])
            request.decodesContent = false
            let raw = await client.run(request)
            #expect(raw.isSuccess && raw.body == Self.gzipped)
        }
    }

    @Test func aBrokenCodingIsAnError() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(headers: [("Content-Encoding", "gzip")], body: .text("not gzip at all")))
            let error = try await client.run(server.request("/f")).error
            #expect(error?.isBadHead == true)
        }
    }

    // MARK: Cancelling

    @Test func cancellingARunningRequest() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .pattern(0..<100_000), faults: [.stall(afterBody: 1000)]))
            let consumer = RecordingConsumer()
            let id = client.start(try server.request("/f"), consumer)
            #expect(await eventually { !consumer.record.body.isEmpty })
            client.cancel(id)
            let record = await consumer.finished()
            #expect(record.error == .cancelled)
            client.cancel(id)
            #expect(try await client.run(server.request("/other")).status == 404)
            #expect(consumer.record.finishes == 1)
        }
    }

    @Test func cancellingAQueuedRequest() async throws {
        try await withClient({ $0.connectionsPerHost = 1 }) { client, server async throws in
            let isReleased = Lock(false)
            server.on("/slow") { _, connection in
                while !isReleased.withLock({ $0 }), !connection.waitForClose(atMost: .milliseconds(5)) {}
                return Answer(body: .text("x"))
            }
            let slow = RecordingConsumer()
            let queued = RecordingConsumer()
            _ = client.start(try server.request("/slow"), slow)
            let id = client.start(try server.request("/queued"), queued)
            client.cancel(id)
            #expect(await queued.finished().error == .cancelled)
            isReleased.withLock { $0 = true }
            #expect(await slow.finished().isSuccess)
            #expect(server.requests("/queued").isEmpty)
        }
    }

    @Test func aConsumerMayStartAndCancelFromItsCalls() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .text("first")))
            let second = RecordingConsumer()
            let request = try server.request("/f")
            let first = RecordingConsumer { _ in
                client.cancel(client.start(request, RecordingConsumer()))
                _ = client.start(request, second)
                return true
            }
            #expect(await client.run(request, first).isSuccess)
            #expect(await second.finished().body == Array("first".utf8))
        }
    }
}
