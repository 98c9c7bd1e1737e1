import Testing

@testable import HTTP

struct HTTPURLTests {
    @Test func userinfoIsTakenOut() throws {
        let (url, credentials) = try HTTPURL.parse("HTTP://us%40er:p%3Aw@Host:80/a?b=c#d")
        #expect(url.text == "http://host/a?b=c")
        #expect(credentials == Credentials(user: "us@er", password: "p:w"))
    }

    @Test func rawTextIsEscaped() throws {
        #expect(try HTTPURL.parse("http://host/目录/a b").url.path == "/%E7%9B%AE%E5%BD%95/a%20b")
    }

    @Test(arguments: [
        "", "host/dir", "ftp://host/", "http://", "file:///x", "http://host/\r\nX: y", "javascript:alert(1)",
    ])
    func whatIsNoURLIsRefused(text: String) { #expect(throws: URLError.self) { try HTTPURL.parse(text) } }

    @Test func queriesAreMasked() throws {
        let url = try HTTPURL.parse("https://host/o?sig=secret&x&b=2").url
        #expect(url.masked == "https://host/o?sig=…&…&b=…")
        #expect(!"\(url)".contains("secret"))
    }

    @Test func referencesAreResolved() throws {
        let base = try HTTPURL.parse("http://host:8080/a/b/").url
        #expect(base.resolving("c%2520d?x=y")?.text == "http://host:8080/a/b/c%2520d?x=y")
        #expect(base.resolving("/e")?.text == "http://host:8080/e")
        #expect(base.resolving("../../../f")?.path == "/f")
        #expect(base.resolving("http://u:p@other/")?.text == "http://other/")
        #expect(base.resolving("mailto:x@y") == nil)
        #expect(base.resolving(reference: "/raw%zz+;?q")?.target == "/raw%zz+;?q")
    }

    @Test func versionSixAddressesKeepTheirBrackets() throws {
        let url = try HTTPURL.parse("http://[::1]:81/x").url
        #expect(url.origin == Origin(scheme: "http", host: "[::1]", port: 81))
        #expect(url.text == "http://[::1]:81/x")
    }
}
