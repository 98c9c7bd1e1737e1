import Testing

@testable import HTTP

struct ResponseHeadTests {
    // MARK: Content-Length (field case B18)

    @Test(arguments: [
        ("", nil), ("Content-Length: 0", 0), ("Content-Length: 5", 5), ("Content-Length:   5  ", 5),
        ("Content-Length: 5\nContent-Length: 5", 5), ("Content-Length: 5, 5", 5), ("Content-Length: 007", 7),
        ("Content-Length: 9223372036854775806", Int64.max - 1), ("Content-Length : 5", nil),
        ("Content-Length: 5\nTransfer-Encoding: chunked", nil),
        ("Content-Length: x\nTransfer-Encoding: gzip, Chunked", nil),
    ])
    func contentLength(fields: String, expected: Int64?) throws {
        #expect(try head(fields).contentLength == expected)
    }

    @Test(arguments: [
        "Content-Length: -5", "Content-Length: +5", "Content-Length: 5x", "Content-Length: 0x10", "Content-Length: 5.0",
        "Content-Length: 1 2", "Content-Length:", "Content-Length: ,", "Content-Length: 5\nContent-Length: 7",
        "Content-Length: 5, 7", "Content-Length: 9223372036854775807", "Content-Length: 99999999999999999999",
        "Content-Length: ٥", "Content-Length: 5\nContent-Length: -5", "Content-Length: 5\n 6",
    ])
    func unusableContentLength(fields: String) {
        let error = #expect(throws: TransferError.self) { try head(fields) }
        #expect(error?.isBadHead == true)
    }

    // MARK: Validators and dates

    @Test(arguments: [
        "Mon, 06 Jul 2026 10:00:00 GMT", "Monday, 06-Jul-26 10:00:00 GMT", "Mon Jul  6 10:00:00 2026",
    ])
    func lastModifiedInAllThreeForms(text: String) throws {
        #expect(try head("Last-Modified: \(text)").lastModified == july2026)
    }

    @Test(arguments: [
        "", "yesterday", "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 23:59:59 GMT",
        "Wed, 08 Jul 2026 10:00:01 GMT",
        "Mon, 01 Jan 0001 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "-1",
    ])
    func unbelievableLastModified(text: String) throws {
        #expect(try head("Last-Modified: \(text)").lastModified == nil)
    }

    @Test func lastModifiedMayBeADayAhead() throws {
        #expect(try head("Last-Modified: Tue, 07 Jul 2026 10:00:00 GMT").lastModified == july2026 + 86_400)
    }

    @Test func date() throws {
        #expect(try head("Date: Mon, 06 Jul 2026 10:00:00 GMT").date == july2026)
        #expect(try head("Date: now").date == nil)
    }

    @Test(arguments: [
        ("\"a\"", "\"a\"", false), ("W/\"a\"", "\"a\"", true), ("w/\"\"", "\"\"", true),
        ("\"a,b;c\"", "\"a,b;c\"", false),
    ])
    func entityTag(text: String, opaque: String, isWeak: Bool) throws {
        #expect(try head("ETag: \(text)").entityTag == EntityTag(opaque: opaque, isWeak: isWeak))
    }

    @Test(arguments: [
        "", "a", "\"", "\"a", "a\"", "\"a b\"", "\"a\tb\"", "\"\u{7F}\"", "W/", "W/a", "W/\"", "*", "\"a\"b\"", "\"ü\"",
        "\"a\", \"b\"",
    ])
    func noEntityTag(text: String) throws {
        #expect(try head("ETag: \(text)").entityTag == nil)
    }

    @Test func anEntityTagHasABoundedLength() throws {
        let longest = "\"" + String(repeating: "a", count: 1022) + "\""
        #expect(try head("ETag: \(longest)").entityTag?.opaque == longest)
        #expect(try head("ETag: \"\(longest)").entityTag == nil)
    }

    // MARK: What the body is

    @Test(arguments: [
        ("", nil), ("Accept-Ranges: bytes", true), ("Accept-Ranges: Bytes", true), ("Accept-Ranges: none", false),
        ("Accept-Ranges: none, bytes", true), ("Accept-Ranges: x-bytes", nil), ("Accept-Ranges:", nil),
        ("Accept-Ranges: seconds\nAccept-Ranges: bytes", true),
    ])
    func acceptsRanges(fields: String, expected: Bool?) throws {
        #expect(try head(fields).acceptsRanges == expected)
    }

    @Test(arguments: [
        ("", []), ("Content-Encoding: identity", []), ("Content-Encoding: GZip", ["gzip"]),
        ("Content-Encoding: gzip, br\nContent-Encoding: identity, x", ["gzip", "br", "x"]), ("Content-Encoding: ,", []),
    ])
    func contentEncodings(fields: String, expected: [String]) throws {
        #expect(try head(fields).contentEncodings == expected)
    }

    @Test(arguments: [
        ("text/html", "text/html", nil), ("Text/HTML; Charset=UTF-8", "text/html", "utf-8"),
        ("text/html;charset=\"utf-8\"", "text/html", "utf-8"),
        ("text/html ; a=b ; charset = latin1 ", "text/html", "latin1"),
        ("application/json;", "application/json", nil), (";charset=x", nil, nil), ("", nil, nil),
    ])
    func contentType(text: String, type: String?, charset: String?) throws {
        let head = try head("Content-Type: \(text)")
        #expect(head.mediaType == type)
        #expect(head.charset == charset)
    }

    @Test func contentRangeTwice() throws {
        #expect(
            try head("Content-Range: bytes 0-9/10\nContent-Range: bytes 0-9/10").contentRange
                == .satisfied(bytes: 0..<10, total: 10))
        #expect(try head("Content-Range: bytes 0-9/10\nContent-Range: bytes 0-8/10").contentRange == .invalid)
        #expect(try head("").contentRange == .absent)
    }

    // MARK: Caching and pauses

    @Test(arguments: [
        ("", nil), ("Cache-Control: max-age=60", 60), ("Cache-Control: public, MAX-AGE = \"60\"", 60),
        ("Cache-Control: public\nCache-Control: max-age=60", 60), ("Cache-Control: max-age=60, max-age=90", 60),
        ("Cache-Control: s-maxage=60", nil), ("Cache-Control: max-age=-1", 0), ("Cache-Control: max-age", 0),
        ("Cache-Control: max-age=x", 0), ("Cache-Control: max-age=99999999999999999999", 31_536_000),
        ("Cache-Control: no-cache", 0), ("Cache-Control: no-store, max-age=60", 0),
        ("Cache-Control: no-cache=\"a, b\"", 0),
        ("Cache-Control: private=\"x, max-age=5\", max-age=60", 60),
        ("Cache-Control: max-age=60\nAge: 20", 40), ("Cache-Control: max-age=60\nAge: 80", 0),
        ("Cache-Control: max-age=60\nAge: -20", 60), ("Cache-Control: max-age=60\nAge: 99999999999999999999", 0),
        ("Expires: Mon, 06 Jul 2026 10:01:00 GMT", 60), ("Expires: Mon, 06 Jul 2026 09:00:00 GMT", 0),
        ("Expires: 0", 0),
        ("Expires: -1", 0), ("Expires: Mon, 06 Jul 2026 10:01:00 GMT\nDate: Mon, 06 Jul 2026 10:00:30 GMT", 30),
        ("Cache-Control: max-age=5\nExpires: Mon, 06 Jul 2026 10:01:00 GMT", 5), ("Age: 20", nil),
    ])
    func freshness(fields: String, seconds: Int?) throws {
        #expect(try head(fields).freshness == seconds.map { .seconds($0) })
    }

    @Test(arguments: [
        ("", false), ("Cache-Control: no-store", true), ("Cache-Control: private, No-Store", true),
        ("Cache-Control: private=\"no-store\"", false), ("Cache-Control: no-storex", false),
    ])
    func noStore(fields: String, expected: Bool) throws {
        #expect(try head(fields).isNoStore == expected)
    }

    @Test(arguments: [
        ("", nil), ("Retry-After: 0", 0), ("Retry-After: 120", 120), ("Retry-After: 99999", 3600),
        ("Retry-After: 99999999999999999999", 3600), ("Retry-After: -5", nil), ("Retry-After: soon", nil),
        ("Retry-After: Mon, 06 Jul 2026 10:02:00 GMT", 120), ("Retry-After: Mon, 06 Jul 2026 09:00:00 GMT", 0),
        ("Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", 3600),
        ("Retry-After: Mon, 06 Jul 2026 10:02:00 GMT\nDate: Mon, 06 Jul 2026 10:01:00 GMT", 60),
    ])
    func retryAfter(fields: String, seconds: Int?) throws {
        #expect(try head(fields).retryAfter == seconds.map { .seconds($0) })
    }
}
