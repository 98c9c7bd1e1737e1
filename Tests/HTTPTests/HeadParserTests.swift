import Testing

@testable import HTTP

struct HeadParserTests {
    private func head(_ text: String, now: Int64 = 1_800_000_000) throws -> ResponseHead {
        var parser = HeadParser()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            Array("\(line)\r\n".utf8).withUnsafeBytes { parser.add($0) }
        }
        return try parser.head(url: try HTTPURL.parse("http://host/f").url, now: now)
    }

    private func failure(_ text: String) -> TransferError? {
        do {
            _ = try head(text)
            return nil
        } catch { return error as? TransferError }
    }

    @Test func theLastHeadWins() throws {
        #expect(
            try head("HTTP/1.1 401 No\nContent-Length: 5\n\nHTTP/1.1 200 OK\nContent-Length: 7\n").contentLength == 7)
        #expect(try head("HTTP/1.1 103 Early\nLink: x\n\nHTTP/1.1 206 P\n").status == 206)
    }

    @Test func contradictoryLengthsAreRefused() throws {
        #expect(try head("HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 5\n").contentLength == 5)
        #expect(try head("HTTP/1.1 200 OK\nContent-Length: 5, 5\n").contentLength == 5)
        for length in ["5\nContent-Length: 6", "5, 6", "-1", "1x", "", "99999999999999999999", "0x10", "+5"] {
            guard case .badHead? = failure("HTTP/1.1 200 OK\nContent-Length: \(length)\n") else {
                Issue.record("Content-Length: \(length) was believed")
                continue
            }
        }
    }

    @Test func chunkedHasNoLength() throws {
        #expect(try head("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Length: 5\n").contentLength == nil)
    }

    @Test func brokenStatusLinesAreRefused() {
        for line in ["HTTP/1.1", "HTTP/1.1 OK 200", "HTTP/1.1 99 x", "HTTP/1.1 1000 x", "HTTP/1.1 -200 x"] {
            guard case .badHead? = failure("\(line)\n") else {
                Issue.record("\(line) was believed")
                continue
            }
        }
    }

    @Test func headsAreBounded() {
        let many = (0..<300).map { "X-\($0): y\n" }.joined()
        #expect(failure("HTTP/1.1 200 OK\n\(many)") != nil)
        #expect(failure("HTTP/1.1 200 OK\nX: \(String(repeating: "y", count: 70_000))\n") != nil)
    }

    @Test func datesThatCannotBeAreNotBelieved() throws {
        func modified(_ text: String) throws -> Int64? {
            try head("HTTP/1.1 200 OK\nLast-Modified: \(text)\n").lastModified
        }
        #expect(try modified("Mon, 06 Jul 2026 10:00:00 GMT") == 1_783_332_000)
        #expect(try modified("Monday, 06-Jul-26 10:00:00 GMT") == 1_783_332_000)
        for text in [
            "Thu, 01 Jan 1970 00:00:00 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
            "yesterday", "",
        ] {
            #expect(try modified(text) == nil, "\(text)")
        }
    }

    @Test func retryAfterIsBounded() throws {
        func pause(_ text: String) throws -> Duration? { try head("HTTP/1.1 503 S\nRetry-After: \(text)\n").retryAfter }
        #expect(try pause("2") == .seconds(2))
        #expect(try pause("-5") == nil)
        #expect(try pause("999999999") == .seconds(3600))
        #expect(try pause("soon") == nil)
        #expect(
            try head("HTTP/1.1 503 S\nRetry-After: Mon, 06 Jul 2026 10:00:07 GMT\n", now: 1_783_332_000).retryAfter
                == .seconds(7))
    }

    @Test func freshnessComesFromCacheControlBeforeExpires() throws {
        let expires = "Date: Mon, 06 Jul 2026 10:00:00 GMT\nExpires: Mon, 06 Jul 2026 10:01:00 GMT\n"
        #expect(try head("HTTP/1.1 200 OK\n\(expires)").freshness == .seconds(60))
        #expect(try head("HTTP/1.1 200 OK\nCache-Control: public, max-age=5\n\(expires)").freshness == .seconds(5))
        #expect(try head("HTTP/1.1 200 OK\nCache-Control: no-cache\n\(expires)").freshness == .zero)
        #expect(try head("HTTP/1.1 200 OK\nCache-Control: no-store\n").isNoStore)
        #expect(try head("HTTP/1.1 200 OK\n").freshness == nil)
    }

    @Test func typesAndCodingsAreNormalised() throws {
        let head = try head(
            "HTTP/1.1 200 OK\nContent-Type: Text/HTML; Charset=\"UTF-8\"\nContent-Encoding: GZIP, identity\n")
        #expect(head.mediaType == "text/html")
        #expect(head.charset == "utf-8")
        #expect(head.contentEncodings == ["gzip"])
    }
}
