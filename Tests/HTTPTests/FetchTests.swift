import HTTP
import LoopbackServer
import Platform
import Testing

/// Small answers with everything that is repeated on the way.
@Suite(.bounded) struct FetchTests {
    @Test func collectsTheAnswer() async throws {
        try await withClient { client, server async throws in
            server.on("/old", Answer(status: 301, headers: [("Location", "/d/")]))
            server.on("/d/", Answer.html("<a href=x>x</a>"))
            let response = try await client.answer(try server.request("/old", .metadata)).get()
            #expect(response.head.status == 200 && response.head.mediaType == "text/html")
            #expect(response.head.url.text == server.url + "/d/")
            #expect(response.body == Array("<a href=x>x</a>".utf8))
        }
    }

    /// Field case B35.
    @Test func passingStatusesAreAskedAgainAfterTheirPause() async throws {
        try await withClient { client, server async throws in
            let file = FileResource.pattern(5000)
            server.on("/f", StatusSequence([503, 429], retryAfter: "1", then: file.responder).responder)
            let start = Instant.now()
            let response = try await client.answer(try server.request("/f", .metadata)).get()
            #expect(response.head.status == 200 && response.body == pattern(0..<5000))
            #expect(Instant.now() - start >= .seconds(2))
            #expect(server.log.map(\.status) == [503, 429, 200])
            #expect(client.statistics().retries == 2)
        }
    }

    @Test func passingFaultsAreRepeated() async throws {
        try await withClient { client, server async throws in
            server.on("/f") { request, connection in
                switch request.count {
                case 0:
                    connection.reset()
                    return nil
                case 1: return Answer(body: .pattern(0..<5000), faults: [.cut(afterBody: 100)])
                default: return Answer(body: .pattern(0..<5000))
                }
            }
            let response = try await client.answer(try server.request("/f", .metadata)).get()
            #expect(response.body == pattern(0..<5000))
            #expect(server.log.count == 3)
        }
    }

    @Test(arguments: [404, 403, 410, 501])
    func finalStatusesAreNot(status: Int) async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(status: status))
            #expect(try await client.answer(server.request("/f", .metadata)).status == status)
            #expect(server.log.count == 1)
        }
    }

    @Test func whenAPauseIsTooLongTheAnswerComesAtOnce() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(status: 503, headers: [("Retry-After", "60")], body: .text("later")))
            let start = Instant.now()
            #expect(try await client.answer(server.request("/f", .metadata), patience: .seconds(20)).status == 503)
            #expect(Instant.now() - start < .seconds(30))
            #expect(server.log.count == 1)
        }
    }

    @Test func patienceEnds() async throws {
        try await withClient { client, server async throws in
            server.on("/f") { _, connection in
                connection.waitForClose(atMost: .seconds(60))
                return nil
            }
            let start = Instant.now()
            let result = await client.answer(try server.request("/f", .metadata), patience: .milliseconds(400))
            #expect(result.error == .timedOut)
            #expect(Instant.now() - start < .seconds(30))
            #expect(await eventually { client.statistics().running == 0 })
        }
    }

    @Test func aSlowAnswerThatGoesOnIsWaitedFor() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .pattern(0..<50_000), faults: [.rate(bytesPerSecond: 7000)]))
            let result = await client.answer(try server.request("/f", .metadata), patience: .seconds(6))
            #expect(try result.get().body == pattern(0..<50_000))
        }
    }

    @Test(arguments: [Fault.chunked, .noContentLength, .delay(.zero)])
    func tooLargeAnswersEnd(fault: Fault) async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .pattern(0..<100_001), faults: [fault]))
            server.on("/g", Answer(body: .pattern(0..<100_000), faults: [fault]))
            let error = try await client.answer(server.request("/f", .metadata), limit: 100_000).error
            #expect(error == .tooLarge)
            #expect(
                try await client.answer(try server.request("/g", .metadata), limit: 100_000).get().body.count == 100_000
            )
        }
    }

    @Test func aHeadMaySayAnyLength() async throws {
        try await withClient { client, server async throws in
            server.on("/f", FileResource.pattern(5 << 30).responder)
            let result = await client.answer(try server.request("/f", .metadata, .head), limit: 0)
            #expect(try result.get().head.contentLength == 5 << 30)
        }
    }

    @Test func bodiesNobodyKeepsAreLeftOut() async throws {
        try await withClient { client, server async throws in
            server.on("/f", FileResource.pattern(1 << 30).responder)
            let result = await client.answer(try server.request("/f", .metadata)) { $0.mediaType == "text/html" }
            let response = try result.get()
            #expect(response.head.contentLength == 1 << 30 && response.body.isEmpty)
        }
    }
}
