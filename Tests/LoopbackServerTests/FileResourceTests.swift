import Testing

@testable import LoopbackServer

@Suite struct FileResourceTests {
    private func request(_ method: String = "GET", _ headers: [(String, String)] = []) -> ServerRequest {
        ServerRequest(method: method, target: "/f", version: "HTTP/1.1", headers: headers)
    }

    private func range(_ value: String) -> ServerRequest { request("GET", [("range", value)]) }

    private func value(_ name: String, in answer: Answer) -> String? { answer.headers.first { $0.0 == name }?.1 }

    @Test(arguments: [
        ("bytes=0-0", 206, 0, 1), ("bytes=10-19", 206, 10, 10), ("bytes=990-", 206, 990, 10),
        ("bytes=990-5000", 206, 990, 10), ("bytes=-10", 206, 990, 10), ("bytes=-5000", 206, 0, 1000),
        ("bytes=1000-", 416, 0, 0), ("bytes=20-10", 416, 0, 0), ("bytes=-0", 416, 0, 0),
        ("bytes=0-1,3-4", 200, 0, 1000), ("bytes=x-", 200, 0, 1000), ("lines=1-2", 200, 0, 1000),
        ("bytes=-", 200, 0, 1000), ("bytes=99999999999999999999-", 200, 0, 1000),
    ])
    func singleRanges(_ field: String, _ status: Int, _ first: Int64, _ count: Int64) {
        let answer = FileResource.pattern(1000).answer(to: range(field))
        #expect(answer.status == status)
        #expect(answer.body.count == count)
        switch status {
        case 206: #expect(value("Content-Range", in: answer) == "bytes \(first)-\(first + count - 1)/1000")
        case 416: #expect(value("Content-Range", in: answer) == "bytes */1000")
        default: #expect(value("Content-Range", in: answer) == nil)
        }
        guard status == 206, case .pattern(let sent) = answer.body else { return }
        #expect(sent == first..<first + count)
    }

    @Test func rangesIgnoredAreNotAnnounced() {
        var file = FileResource.pattern(1000)
        file.ranges = .ignored
        let answer = file.answer(to: range("bytes=5-6"))
        #expect(answer.status == 200)
        #expect(answer.body.count == 1000)
        #expect(value("Accept-Ranges", in: answer) == nil)
    }

    @Test func rangesRefusedStillLeaveTheWholeFile() {
        var file = FileResource.pattern(1000)
        file.ranges = .refused(status: 501)
        #expect(file.answer(to: range("bytes=5-6")).status == 501)
        #expect(file.answer(to: request()).status == 200)
    }

    @Test func cappedAnswersDescribeWhatTheySend() {
        var file = FileResource.pattern(5000)
        file.ranges = .capped(1000)
        let answer = file.answer(to: range("bytes=500-3999"))
        #expect(value("Content-Range", in: answer) == "bytes 500-1499/5000")
        #expect(answer.body.count == 1000)
    }

    @Test func wrongRangesSayWhatTheClosureSays() {
        var file = FileResource.pattern(5000)
        file.ranges = .wrong { (0..<Int64($0.count), "bytes 0-\($0.count - 1)/5000") }
        let answer = file.answer(to: range("bytes=500-999"))
        #expect(answer.status == 206)
        #expect(value("Content-Range", in: answer) == "bytes 0-499/5000")
        guard case .pattern(let sent) = answer.body else {
            Issue.record("not the pattern")
            return
        }
        #expect(sent == 0..<500)
        file.ranges = .wrong { ($0, nil) }
        #expect(value("Content-Range", in: file.answer(to: range("bytes=500-999"))) == nil)
    }

    @Test func validatorsAndHeadCanBeAbsent() {
        let file = FileResource(.empty, etag: nil, lastModified: nil, contentType: nil, headAllowed: false)
        let answer = file.answer(to: request())
        #expect(answer.headers.map(\.0) == ["Accept-Ranges"])
        #expect(file.answer(to: request("HEAD")).status == 405)
        #expect(FileResource.pattern(1).answer(to: request("HEAD")).status == 200)
        #expect(FileResource.pattern(1).answer(to: request("POST")).status == 405)
    }

    @Test func conditionsAreOnlyEvaluatedWhenAskedFor() {
        var file = FileResource.pattern(10)
        let stale = request("GET", [("if-match", "\"old\"")])
        #expect(file.answer(to: stale).status == 200)
        file.conditions = true
        #expect(file.answer(to: stale).status == 412)
        #expect(file.answer(to: request("GET", [("if-match", "\"old\", \"e1\"")])).status == 200)
        #expect(file.answer(to: request("GET", [("if-none-match", "\"e1\"")])).status == 304)
        #expect(file.answer(to: request("GET", [("if-none-match", "\"old\"")])).status == 200)
    }

    @Test func versionsCanChangeBetweenRequests() throws {
        let server = try LoopbackServer()
        server.on(
            "/f",
            FileResource.changing { FileResource(.pattern(0..<10), etag: $0.count < 1 ? "\"v1\"" : "\"v2\"") })
        let client = try RawClient(port: server.port)
        var tags: [String?] = []
        for _ in 0..<3 {
            client.get("/f")
            tags.append(client.readAnswer().head.first { $0.hasPrefix("ETag") })
        }
        #expect(tags == ["ETag: \"v1\"", "ETag: \"v2\"", "ETag: \"v2\""])
    }
}
