import Testing

@testable import skyfs

struct UploadFormTests {
    @Test func wordsBecomeTheForm() throws {
        var form = UploadForm()
        #expect(form.fileField == "file" && !form.hasSecrets)
        try form.setFileField("datei", from: "--field")
        try form.addParameter("b=1=2", from: "--param")
        try form.addParameter("a=", from: "--param")
        try form.addParameter("b=again", from: "--param")
        try form.setPathField("path", from: "--path-field")
        try form.addHeader("X-Key:  s3cret ", from: "--header")
        for word in ["status=303", "json=ok", "text=a=b", "status=302"] { try form.addSuccess(word, from: "--success") }
        #expect(form.fileField == "datei" && form.pathField == "path")
        #expect(
            form.parameters
                == [.init(name: "b", value: "1=2"), .init(name: "a", value: ""), .init(name: "b", value: "again")])
        #expect(form.headers == [.init(name: "X-Key", value: "s3cret ")])
        #expect(form.statuses == [303, 302] && form.jsonField == "ok" && form.text == "a=b")
        #expect(form.hasSecrets)
    }

    @Test(arguments: ["s3cret", "=s3cret", "", "a\nb=s3cret"])
    func parametersNeedANameAndTheErrorHidesTheValue(word: String) {
        #expect {
            var form = UploadForm()
            try form.addParameter(word, from: "--param")
        } throws: {
            guard let error = $0 as? CommandError else { return false }
            return error.code == .usage && error.text.contains("--param") && !error.text.contains("s3cret")
        }
    }

    @Test(arguments: [
        "s3cret", ": s3cret", "A B: s3cret", "X: s3cret\r\nY: z", "Content-Length: 5", "host: h", "Ä: s3cret",
        "Transfer-Encoding: chunked", "idempotency-key: s3cret",
    ])
    func whatIsNoHeaderOfTheUserIsRefused(word: String) {
        #expect {
            var form = UploadForm()
            try form.addHeader(word, from: "--header")
        } throws: {
            guard let error = $0 as? CommandError else { return false }
            return error.code == .usage && !error.text.contains("s3cret")
        }
    }

    @Test(arguments: ["status", "status=x", "status=99", "status=600", "json=", "text=", "body=x", ""])
    func whatIsNoRuleIsRefused(word: String) {
        #expect(throws: CommandError.self) {
            var form = UploadForm()
            try form.addSuccess(word, from: "--success")
        }
    }

    @Test(arguments: ["", "a\u{0}", "a\r\nb", String(repeating: "x", count: 257)])
    func whatIsNoFieldNameIsRefused(name: String) {
        #expect(throws: CommandError.self) {
            var form = UploadForm()
            try form.setFileField(name, from: "--field")
        }
    }
}
