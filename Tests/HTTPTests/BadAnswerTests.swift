import LoopbackServer
import Platform
import Testing

@testable import HTTP

/// Answers that cannot be believed, or that do not come.
@Suite(.bounded) struct BadAnswerTests {
    /// Field case B18, and what else makes a head unbelievable.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello!!",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n", "<html>an answer as of 1991</html>", "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 0\r\n\r\n",
    ])
    func unbelievableHeads(text: String) async throws {
        try await withClient { client, server async throws in
            server.on("/bad", Answer.raw(text, faults: [.closes]))
            server.on("/good", Answer(body: .text("good")))
            let record = await client.run(try server.request("/bad"))
            #expect(record.error?.isBadHead == true, "\(String(describing: record.outcome))")
            #expect(record.heads.isEmpty && record.body.isEmpty)
            #expect(try await client.run(server.request("/good")).body == Array("good".utf8))
            #expect(server.connectionsOpened >= 2, "the connection is not used again")
        }
    }

    @Test func theSameLengthTwiceIsFine() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"))
            let record = await client.run(try server.request("/f"))
            #expect(record.isSuccess && record.body == Array("hello".utf8))
        }
    }

    @Test(arguments: ["line", "lines", "interim", "field"])
    func endlessHeadsAreCutOff(kind: String) async throws {
        try await withClient { client, server async throws in
            server.on("/f") { _, connection in
                let endless =
                    switch kind {
                    case "line": String(repeating: "x", count: 10_000)
                    case "field": "A: " + String(repeating: "x", count: 10_000) + "\r\n"
                    case "lines": String(repeating: "A: b\r\n", count: 100)
                    default: String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 100)
                    }
                try? connection.write(Array("HTTP/1.1 200 OK\r\n".utf8))
                // The client hangs up; the limit is for when it does not.
                for _ in 0..<10_000 { guard (try? connection.write(Array(endless.utf8))) != nil else { return nil } }
                return nil
            }
            let record = await client.run(try server.request("/f"))
            #expect(record.error?.isBadHead == true, "\(String(describing: record.outcome))")
        }
    }

    @Test func interimHeadsAreSkipped() async throws {
        try await withClient { client, server async throws in
            server.on(
                "/f",
                Answer.raw(
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nETag: \"hint\"\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
            let record = await client.run(try server.request("/f"))
            #expect(record.heads.map(\.status) == [200] && record.body == Array("ok".utf8))
            #expect(record.heads.first?.entityTag == nil)
        }
    }

    @Test func foldedFieldsAreRead() async throws {
        try await withClient { client, server async throws in
            server.on(
                "/f",
                Answer.raw(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n charset=latin1\r\nContent-Length: 0\r\n\r\n"))
            let record = await client.run(try server.request("/f"))
            #expect(record.heads.first?.charset == "latin1")
        }
    }

    @Test func trailersChangeNothing() async throws {
        try await withClient { client, server async throws in
            server.on(
                "/f",
                Answer.raw(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"
                        + "HTTP/1.1 302 Found: x\r\nLocation: /other\r\n\r\n"))
            let record = await client.run(try server.request("/f"))
            #expect(record.isSuccess && record.heads.map(\.status) == [200] && record.body == Array("ok".utf8))
            #expect(server.log.map(\.target) == ["/f"])
        }
    }

    // MARK: Ends that come too early

    /// Field case B30.
    @Test(arguments: [0, 1, 60_000] as [Int64])
    func aShortBodyIsCut(length: Int64) async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .pattern(0..<100_000), faults: [.cut(afterBody: length)]))
            let record = await client.run(try server.request("/f"))
            #expect(record.error == .cut(received: length))
            #expect(record.heads.map(\.contentLength) == [100_000])
            #expect(record.body == pattern(0..<length))
        }
    }

    @Test func aResetInTheBodyIsCut() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .pattern(0..<100_000), faults: [.resetAfter(50_000)]))
            let record = await client.run(try server.request("/f"))
            #expect(record.error == .cut(received: Int64(record.body.count)))
            #expect(record.body == pattern(0..<Int64(record.body.count)))
        }
    }

    @Test func chunksWithoutAnEndAreCut() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer(body: .pattern(0..<100_000), faults: [.chunked, .cut(afterBody: 60_000)]))
            let record = await client.run(try server.request("/f"))
            #expect(record.error == .cut(received: 60_000))
        }
    }

    @Test func aConnectionClosedAtOnceIsNoAnswer() async throws {
        try await withClient { client, server async throws in
            server.on("/f", Answer.raw("", faults: [.closes]))
            let record = await client.run(try server.request("/f"))
            guard case .noAnswer = record.error else {
                Issue.record("\(String(describing: record.outcome))")
                return
            }
        }
    }

    @Test(arguments: [Int64(0), 1000])
    func silenceIsAStall(length: Int64) async throws {
        try await withClient({ $0.stallTimeout = .seconds(2) }) { client, server async throws in
            server.on("/f", Answer(body: .pattern(0..<100_000), faults: [.stall(afterBody: length)]))
            let record = await client.run(try server.request("/f"))
            #expect(record.error == .stalled)
            #expect(record.body == pattern(0..<Int64(record.body.count)) && record.body.count <= length)
        }
    }

    @Test func silenceBeforeTheHeadIsAStall() async throws {
        try await withClient({ $0.stallTimeout = .seconds(2) }) { client, server async throws in
            server.on("/f") { _, connection in
                connection.waitForClose(atMost: .seconds(60))
                return nil
            }
            let error = try await client.run(server.request("/f")).error
            #expect(error == .stalled)
            #expect(server.log.count == 1)
        }
    }

    @Test func nobodyListens() async throws {
        try await withClient { client, server async throws in
            let request = try server.request("/f")
            server.stop()
            guard case .notConnected = await client.run(request).error else {
                Issue.record("connected")
                return
            }
            #expect(client.hostHealth().map(\.origin) == [request.url.origin])
            #expect(client.hostHealth().first?.lastError != nil)
            try server.start()
            #expect(await client.run(request).status == 404)
            #expect(client.hostHealth().first?.lastError == nil)
        }
    }

    @Test func anUnknownHostIsNotResolved() async throws {
        try await withClient { client, _ async throws in
            // RFC 6761: never resolves; libcurl and resolvers know.
            let url = try HTTPURL.parse("http://nowhere.invalid/").url
            guard case .notResolved = await client.run(Request(.get, url, purpose: .metadata)).error else {
                Issue.record("resolved")
                return
            }
        }
    }
}
