import Testing

@testable import HTTP

struct HeaderParametersTests {
    /// Content-Disposition by RFC 6266, and what is sent in practice.
    @Test(arguments: [
        ("attachment", nil), ("attachment; filename=a.txt", "a.txt"), ("attachment; filename=\"a b.txt\"", "a b.txt"),
        ("attachment; FileName = \"a.txt\" ", "a.txt"), ("attachment;filename=a b.txt", "a b.txt"),
        ("attachment; filename=\"a\\\"b\\\\c.txt\"", "c.txt"), ("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"),
        ("attachment; filename=\"semi;colon.txt\"; x=y", "semi;colon.txt"),
        ("attachment; filename=\"unended", "unended"),
        ("attachment; filename=\"\"", nil), ("attachment; filename=", nil), ("attachment; filename", nil),
        ("attachment; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt", "naïve €.txt"),
        ("attachment; filename*=utf-8'en'a.txt; filename=b.txt", "a.txt"),
        ("attachment; filename=b.txt; filename*=UTF-8''a.txt", "a.txt"),
        ("attachment; filename*=ISO-8859-1''%EF.txt", "ï.txt"),
        ("attachment; filename*=UTF-8''%FF.txt; filename=b.txt", "b.txt"),
        ("attachment; filename*=koi8-r''a.txt; filename=b.txt", "b.txt"),
        ("attachment; filename*=a.txt; filename=b.txt", "b.txt"),
        ("attachment; filename=\"naïve.txt\"", "naïve.txt"), ("filename=a.txt", nil), ("; filename=a.txt", "a.txt"),
        ("attachment; filename=\"../../etc/passwd\"", "passwd"),
        ("attachment; filename=\"C:\\\\dir\\\\f.txt\"", "f.txt"),
        ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "passwd"), ("attachment; filename=\"dir/\"", "dir"),
        ("attachment; filename=\"//\"", nil), ("attachment; filename=one; filename=two", "one"),
        ("attachment; a; b; ;; filename=c", "c"),
    ])
    func fileName(text: String, expected: String?) {
        #expect(HeaderParameters(text).fileName == expected)
    }

    @Test func theNumberOfParametersIsBounded() {
        let many = "a" + (0..<100).map { "; p\($0)=\($0)" }.joined()
        #expect(HeaderParameters(many)["p31"] == "31")
        #expect(HeaderParameters(many)["p32"] == nil)
    }

    @Test func combiningMarksDoNotHideDelimiters() {
        #expect(HeaderParameters("a;\u{301} filename=\"x\"\u{301}; b=c")["b"] == "c")
    }
}
