import SeededRandom
import Testing

@testable import HTTP

struct HeadParserTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK", 200), ("HTTP/1.0 404 Not Found", 404), ("HTTP/2 206", 206), ("HTTP/1.1 200", 200),
        ("HTTP/1.1  503  Busy", 503), ("HTTP/3 999 x", 999),
    ])
    func readsStatusLines(line: String, status: Int) {
        let parser = parser(line)
        #expect(parser.status == status)
        #expect(parser.failure == nil)
    }

    @Test(arguments: [
        "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 abc", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 -20", "HTTP/1.1 +20",
        "HTTP/1.1 099", "HTTP/",
    ])
    func refusesOtherStatusLines(line: String) {
        #expect(parser(line).failure != nil)
    }

    @Test func isCompleteOnlyAfterTheEmptyLineOfAFinalHead() {
        #expect(!parser("HTTP/1.1 200 OK\nA: b", isComplete: false).isComplete)
        #expect(!parser("HTTP/1.1 103 Early Hints\nA: b").isComplete)
        #expect(parser("HTTP/1.1 200 OK\nA: b").isComplete)
        #expect(!parser("").isComplete)
    }

    @Test func interimAndEarlierHeadsAreForgotten() {
        let parser = parser(
            "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: </a>\n\n"
                + "HTTP/1.1 401 Unauthorized\nWWW-Authenticate: Basic\nContent-Length: 7\n\n"
                + "HTTP/1.1 200 OK\nContent-Length: 5")
        #expect(parser.status == 200)
        #expect(parser.values("content-length") == ["5"])
        #expect(parser.values("link").isEmpty && parser.values("www-authenticate").isEmpty)
    }

    @Test func aNewStatusLineOpensTheHeadAgain() {
        #expect(!parser("HTTP/1.1 401 Unauthorized\n\nHTTP/1.1 200 OK", isComplete: false).isComplete)
    }

    @Test func withinAHeadAStatusLineIsNone() {
        let parser = parser("HTTP/1.1 200 OK\nHTTP/1.1 302 Found\nHTTP/x: y\nA: b")
        #expect(parser.status == 200 && parser.value("a") == "b")
    }

    @Test func fieldsAfterTheHeadAreNotPartOfIt() {
        let parser = parser("HTTP/1.1 200 OK\nETag: \"a\"\n\nETag: \"b\"\nX: y")
        #expect(parser.values("etag") == ["\"a\""])
        #expect(parser.values("x").isEmpty)
    }

    @Test func namesAreCaseInsensitiveAndValuesTrimmed() {
        let parser = parser("HTTP/1.1 200 OK\nCONTENT-type:\t text/html \t\nempty:\ncolon: a:b")
        #expect(parser.value("content-type") == "text/html")
        #expect(parser.value("empty") == "")
        #expect(parser.value("colon") == "a:b")
        #expect(parser.value("absent") == nil)
    }

    @Test func repeatedFieldsKeepTheirOrder() {
        let parser = parser("HTTP/1.1 200 OK\nA: 1, 2\nB: x\na: ,3 , ")
        #expect(parser.values("a") == ["1, 2", ",3 ,"])
        #expect(parser.list("a") == ["1", "2", "3"])
        #expect(parser.value("a") == ",3 ,")
    }

    @Test func foldedLinesGoOn() {
        let parser = parser("HTTP/1.1 200 OK\nA: one\n  two: x\n\tthree\nB: b")
        #expect(parser.value("a") == "one two: x three")
        #expect(parser.value("b") == "b")
    }

    @Test func aFoldWithoutAFieldIsPassedOver() {
        let parser = parser("HTTP/1.1 200 OK\n lost: x\nA: b")
        #expect(parser.value("a") == "b")
        #expect(parser.failure == nil)
    }

    @Test(arguments: ["no colon here", ": no name", "sp ace: x", "Content-Length : 5", "na\u{1}me: x", "näme: x"])
    func linesThatAreNoFieldArePassedOver(line: String) {
        let parser = parser("HTTP/1.1 200 OK\n\(line)\nA: b")
        #expect(parser.value("a") == "b")
        #expect(parser.values("content-length").isEmpty)
        #expect(parser.failure == nil)
    }

    @Test func valuesAreUTF8OrLatin1() {
        var parser = HeadParser()
        parser.add("HTTP/1.1 200 OK")
        parser.add("U: naïve 名")
        parser.add(Array("L: na".utf8) + [0xEF] + Array("ve\r\n".utf8))
        #expect(parser.value("u") == "naïve 名")
        #expect(parser.value("l") == "naïve")
    }

    @Test func bareLineFeedsEndLinesToo() {
        var parser = HeadParser()
        for line in ["HTTP/1.1 200 OK\n", "A: b\n", "\n"] { parser.add(Array(line.utf8)) }
        #expect(parser.isComplete)
        #expect(parser.value("a") == "b")
    }

    @Test func tooManyLinesAreAFailure() {
        var parser = HeadParser()
        parser.add("HTTP/1.1 200 OK")
        for number in 1..<HeadParser.maximumLines { parser.add("A: \(number)") }
        #expect(parser.failure == nil)
        parser.add("A: last")
        #expect(parser.failure != nil)
        parser.add("B: ignored")
        #expect(parser.values("b").isEmpty)
    }

    @Test func tooManyBytesAreAFailure() {
        var parser = HeadParser()
        parser.add("HTTP/1.1 200 OK")
        for _ in 0..<7 { parser.add("A: " + String(repeating: "x", count: 8192)) }
        #expect(parser.failure == nil)
        parser.add("A: " + String(repeating: "x", count: 8192))
        #expect(parser.failure != nil)
    }

    @Test func endlessInterimHeadsAreAFailure() {
        var parser = HeadParser()
        for _ in 0..<HeadParser.maximumLines {
            parser.add("HTTP/1.1 100 Continue")
            parser.add("")
        }
        #expect(parser.failure != nil)
    }

    @Test func aBadHeadIsNotBelieved() throws {
        let url = try HTTPURL.parse("http://a/").url
        for text in ["HTTP/1.1 xyz", "HTTP/1.1 100 Continue"] {
            #expect(throws: TransferError.self) { try ResponseHead(parser(text), url: url, now: 0) }
        }
        #expect(throws: TransferError.badHead("it was cut off")) {
            try ResponseHead(parser("HTTP/1.1 200 OK\nA: b", isComplete: false), url: url, now: 0)
        }
    }

    @Test func randomBytesNeverCrash() throws {
        let url = try HTTPURL.parse("http://a/").url
        var random = SplitMix(seed: 7)
        let words = [
            "HTTP/1.1 ", "200", "Content-Length:", "Content-Range: bytes ", "0-9/10", "\"", "\\", ";",
            "filename*=UTF-8''%",
            "Content-Disposition:", "=", ",", " ", "\t", "-", "*", "/", "Cache-Control: max-age=", "Retry-After:",
            "99999999999999999999",
            "ETag: W/", "Last-Modified: Mon, 06 Jul 2026 10:00:00 GMT", "Age: ", "Expires: ", "\u{301}", "ü",
        ]
        for _ in 0..<1000 {
            var parser = HeadParser()
            parser.add("HTTP/1.1 200 OK")
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                var line: [UInt8] = []
                for _ in 0..<Int.random(in: 0...8, using: &random) {
                    if Bool.random(using: &random) {
                        line += Array(words.randomElement(using: &random)?.utf8 ?? "".utf8)
                    } else {
                        line.append(UInt8.random(in: 0...255, using: &random))
                    }
                }
                parser.add(line + [13, 10])
            }
            parser.add("")
            guard let head = try? ResponseHead(parser, url: url, now: july2026) else { continue }
            #expect(head.contentLength ?? 0 >= 0)
            #expect(head.freshness ?? .zero >= .zero && head.retryAfter ?? .zero >= .zero)
        }
    }
}
