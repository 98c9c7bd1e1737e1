import Platform
import Testing
import Uploads

struct SuccessRuleTests {
    private func judge(
        _ status: Int, _ body: String = "", type: String? = nil, retryAfter: Duration? = nil,
        _ change: (inout SuccessRule) -> Void = { _ in }
    ) -> SendOutcome {
        var rule = SuccessRule()
        change(&rule)
        return rule.judge(status: status, mediaType: type, body: Array(body.utf8), retryAfter: retryAfter)
    }

    private func isSuccess(_ outcome: SendOutcome) -> Bool {
        if case .success = outcome { true } else { false }
    }

    private func isRefused(_ outcome: SendOutcome) -> Bool {
        if case .refused = outcome { true } else { false }
    }

    // MARK: Bodies of 2xx

    @Test(arguments: [
        "", "OK", "{\"ok\":true}", "{\"success\":\"登录成功\"}", "{\"error\":null}", "{\"error\":\"\",\"id\":7}",
        "{\"error\":false}", "{\"error\":0}", "{\"error\":[]}", "{\"error\":{}}", "[1,2,3]", "[]", "{}", "{broken",
        "<html><body>stored</body></html>", "<Result><Error>none</Error></Result>", "\u{FEFF}{\"success\":true}",
        "<form><input type=\"text\"></form>", "<", "<<<", "<!--", "<?", "true", "\0\u{1}",
        "{\"data\":{\"error\":\"inner\"}}", "{\"ok\":\"false\"}", "{\"errors\":0}",
    ])
    func theseBodiesAreNoError(_ body: String) {
        #expect(isSuccess(judge(200, body)))
        #expect(isSuccess(judge(201, body, type: "application/json")))
    }

    @Test(arguments: [
        "{\"success\":false,\"error\":\"quota\"}", "{\"error\":\"用户名不存在\"}", "{\"success\":false}", "{\"ok\":false}",
        "  \r\n{\"error\":true}", "{\"error\":{\"code\":100,\"message\":\"no\"}}", "{\"success\":true,\"error\":\"x\"}",
        "\u{FEFF}{\"error\":1}", "{\"success\":0}",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>InternalError</Code><Message>x</Message></Error>",
        "<Error/>", "<!-- note --><!DOCTYPE Error><error xmlns=\"urn:x\">y</error>", "<d:error xmlns:d=\"DAV:\"/>",
        "\u{FEFF} <Error >x</Error >",
        "<!DOCTYPE html><html><form><input name=u><input name=\"p\" type=\"password\"></form></html>",
        "<HTML><INPUT\n TYPE = 'Password' NAME=p></HTML>",
    ])
    func theseBodiesReportAnError(_ body: String) {
        #expect(isRefused(judge(200, body, type: "text/plain")))
        #expect(isRefused(judge(201, body)))
    }

    @Test func aFragmentWithAPasswordFieldIsALoginPageIfTheServerCallsItHTML() {
        let body = "Please log in <form><input type=password></form>"
        #expect(isRefused(judge(200, body, type: "Text/HTML; charset=utf-8")))
        #expect(isSuccess(judge(200, body, type: "text/plain")))
    }

    @Test func theServersWordsAreKept() {
        #expect(judge(201, "{\n  \"id\": 7\n}\n") == .success(status: 201, words: "{ \"id\": 7 }"))
        #expect(
            judge(200, "{\"success\":false,\"error\":\"quota\"}")
                == .refused(status: 200, words: "200 OK, but the answer says error: quota"))
        #expect(
            judge(200, "{\"success\":false,\"msg\":\"full\"}")
                == .refused(status: 200, words: "200 OK, but the answer says success: false: full"))
        #expect(
            judge(200, "<Error><Code>E1</Code><Message>try &lt;again&gt; &amp;amp;</Message></Error>")
                == .refused(status: 200, words: "200 OK, but the answer is an error document: try <again> &amp;"))
        #expect(
            judge(200, "<Error><Code>E1</Code><Message> </Message></Error>")
                == .refused(status: 200, words: "200 OK, but the answer is an error document: E1"))
        #expect(
            judge(200, "<html><input type=password></html>").words
                == "200 OK, but the server answered with a login page instead of taking the file")
    }

    @Test(arguments: [
        ("{\"error\":{\"code\":1,\"message\":\"deep\"}}", "deep"), ("{\"message\":\"m\",\"detail\":\"d\"}", "m"),
        ("{\"errors\":[{\"detail\":\"first\"},{\"detail\":\"second\"}]}", "first"), ("plain\n words ", "plain words"),
        ("<html><head><title class=\"x\">413 Too\nLarge</title></head><body>b</body></html>", "413 Too Large"),
        ("<ns:Fault><ns:Message>spoken</ns:Message></ns:Fault>", "spoken"),
    ])
    func messagesOfRefusals(body: String, message: String) {
        #expect(judge(400, body) == .refused(status: 400, words: "400 Bad Request: \(message)"))
    }

    @Test(arguments: ["", "{}", "[]", "{\"code\":7}", "<html></html>", "\0binary", " \n"])
    func bodiesWithoutAMessage(body: String) {
        #expect(judge(413, body) == .refused(status: 413, words: "413 Content Too Large"))
    }

    @Test func wordsAreSafeAndShort() {
        let words = judge(400, "a\u{1B}[31m\u{202E}b\n" + String(repeating: "x", count: 100_000)).words
        #expect(words.hasPrefix("400 Bad Request: a\u{FFFD}[31m\u{FFFD}b xxx"))
        #expect(words.utf8.count <= DisplayText.maximumLength)
        #expect(judge(200, String(repeating: "y ", count: 50_000)).words.utf8.count <= DisplayText.maximumLength)
    }

    @Test func bytesThatAreNoTextDoNoHarm() {
        let rule = SuccessRule()
        let gbk: [UInt8] = Array("{\"error\":\"".utf8) + [0xB4, 0xED, 0xCE, 0xF3] + Array("\"}".utf8)
        #expect(isRefused(rule.judge(status: 200, mediaType: "application/json", body: gbk, retryAfter: nil)))
        #expect(
            isSuccess(
                rule.judge(status: 200, mediaType: nil, body: [UInt8](repeating: 0xFF, count: 1000), retryAfter: nil)))
    }

    @Test func hostileBodiesCostLittle() {
        let fields = (0..<5000).map { "\"k\($0)\":0," }.joined()
        let repeated: [(String, Int)] = [
            ("[", 60_000), ("{\"error\":", 7_000), ("<input ", 9_000), ("<", 65_000), ("<!--", 16_000), ("<?", 32_000),
            ("<a>&amp;", 8_000),
        ]
        let bodies =
            repeated.map { String(repeating: $0.0, count: $0.1) }
            + ["[" + String(repeating: "0,", count: 32_000) + "0]", "{\(fields)\"error\":\"late\"}"]
        for body in bodies {
            let start = Instant.now()
            let outcome = judge(200, body, type: "text/html")
            // Generous: quadratic work on 64 KiB takes minutes in a debug build.
            #expect(Instant.now() - start < .seconds(20), "\(body.prefix(10))")
            #expect(isRefused(outcome) == body.hasSuffix("\"late\"}"), "\(body.prefix(10))")
        }
    }

    // MARK: Statuses

    @Test(arguments: [400, 404, 405, 409, 410, 411, 413, 415, 417, 422, 451, 499])
    func otherClientErrorsAreFinal(status: Int) {
        #expect(isRefused(judge(status, "{\"success\":true}")))
    }

    @Test(arguments: [408, 425, 429, 500, 501, 502, 503, 504, 507, 599])
    func temporaryErrorsComeAgain(status: Int) {
        guard case .again(nil, status, _) = judge(status) else {
            Issue.record("\(judge(status))")
            return
        }
    }

    @Test func retryAfterCountsWhereItIsAboutTheServer() {
        #expect(
            judge(503, retryAfter: .seconds(9))
                == .again(after: .seconds(9), status: 503, words: "503 Service Unavailable"))
        #expect(
            judge(429, "slow down", retryAfter: .seconds(9))
                == .again(after: .seconds(9), status: 429, words: "429 Too Many Requests: slow down"))
        #expect(
            judge(500, retryAfter: .seconds(9))
                == .again(after: nil, status: 500, words: "500 Internal Server Error"))
    }

    @Test(arguments: [401, 403])
    func credentialsAreOfTheWholeTarget(status: Int) {
        guard case .unauthorised(status, _) = judge(status, "{\"success\":true}") else {
            Issue.record("\(judge(status))")
            return
        }
    }

    @Test(arguments: [300, 301, 302, 303, 304, 307, 308])
    func redirectsAreNoProof(status: Int) {
        #expect(isRefused(judge(status, "{\"success\":true}")))
        #expect(judge(status).words.contains("no proof"))
    }

    @Test func statusesOutsideHTTPAreRefused() {
        #expect(isRefused(judge(100)))
        #expect(isRefused(judge(600)))
        #expect(judge(799).words == "799")
    }

    // MARK: Settings

    @Test func aConfiguredStatusCounts() {
        #expect(isSuccess(judge(303) { $0.statuses = [303] }))
        #expect(isSuccess(judge(403) { $0.statuses = [403] }))
        #expect(isSuccess(judge(200) { $0.statuses = [303] }))
        #expect(isRefused(judge(302) { $0.statuses = [303] }))
        #expect(isSuccess(judge(303, "{\"error\":\"x\"}") { $0.statuses = [303] }))
        #expect(isRefused(judge(200, "{\"error\":\"x\"}") { $0.statuses = [200, 303] }))
    }

    @Test func aConfiguredFieldMustBeTruthy() {
        let set: (inout SuccessRule) -> Void = { $0.jsonField = "stored" }
        #expect(isSuccess(judge(200, "{\"stored\":true,\"error\":\"none\"}", set)))
        #expect(isSuccess(judge(200, "{\"stored\":\"yes\"}", set)))
        for body in ["", "{}", "{\"stored\":false}", "{\"stored\":null}", "[{\"stored\":true}]", "stored", "{broken"] {
            #expect(isRefused(judge(200, body, set)))
        }
        #expect(
            judge(200, "{\"stored\":false,\"error\":\"quota\"}", set).words
                == "200 OK, but the answer does not say stored: true: quota")
        #expect(isRefused(judge(500, "{\"stored\":true}", set)) == false)
        #expect(!isSuccess(judge(500, "{\"stored\":true}", set)))
    }

    @Test func aConfiguredTextMustBeThere() {
        let set: (inout SuccessRule) -> Void = { $0.text = "Upload complete" }
        #expect(isSuccess(judge(200, "<html><input type=password>Upload complete</html>", set)))
        #expect(isRefused(judge(200, "<html>nothing here</html>", set)))
        #expect(isRefused(judge(200, "", set)))
    }

    @Test func fieldAndTextMustBothHold() {
        let set: (inout SuccessRule) -> Void = {
            $0.jsonField = "ok"
            $0.text = "done"
        }
        #expect(isSuccess(judge(200, "{\"ok\":true,\"m\":\"done\"}", set)))
        #expect(isRefused(judge(200, "{\"ok\":true}", set)))
        #expect(isRefused(judge(200, "{\"ok\":false,\"m\":\"done\"}", set)))
    }
}
