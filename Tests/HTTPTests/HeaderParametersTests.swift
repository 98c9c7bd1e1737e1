import Testing

@testable import HTTP

struct HeaderParametersTests {
    @Test(arguments: [
        ("attachment; filename=plain.txt", "plain.txt"), (#"attachment; filename="a \"b\".txt""#, #"a "b".txt"#),
        ("attachment; filename=x; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
        ("attachment; filename*=iso-8859-1'en'caf%E9.txt", "café.txt"),
        ("inline; filename=\"../../etc/passwd\"", "passwd"),
        (#"attachment; filename="C:\\dir\\x.txt""#, "x.txt"), ("attachment;filename=\"中文.pdf\"", "中文.pdf"),
    ])
    func namesAreTakenFromContentDisposition(text: String, name: String) {
        #expect(HeaderParameters(text).fileName == name)
    }

    @Test(arguments: [
        "attachment", "attachment; filename=", "attachment; filename=\"\"", "attachment; filename=/", "; ; ;", "",
    ])
    func noNameIsNoName(text: String) { #expect(HeaderParameters(text).fileName == nil) }

    @Test func brokenExtendedNamesFallBack() {
        #expect(HeaderParameters("a; filename=ok; filename*=UTF-8''%FF%FE").fileName == "ok")
        #expect(HeaderParameters("a; filename=ok; filename*=nonsense").fileName == "ok")
    }
}
