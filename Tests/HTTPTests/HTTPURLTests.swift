import Platform
import Testing

@testable import HTTP

struct HTTPURLTests {
    @Test(arguments: [
        ("http://a.example", "http://a.example/"), ("HTTP://A.Example:80/x", "http://a.example/x"),
        ("https://a.example:443/", "https://a.example/"), ("https://a.example:8443/", "https://a.example:8443/"),
        ("http://a.example:443/", "http://a.example:443/"), ("http://a.example/d/../x/./y", "http://a.example/x/y"),
        ("http://a.example/a b/naïve?q=ü v", "http://a.example/a%20b/na%C3%AFve?q=%C3%BC%20v"),
        ("http://a.example/%41%2f%E4", "http://a.example/%41%2f%E4"), ("http://a.example/x#frag", "http://a.example/x"),
        ("http://a.example?q", "http://a.example/?q"), ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("http://user:pw@a.example/x", "http://a.example/x"), ("http://a.example/u:p@x", "http://a.example/u:p@x"),
        ("http://a.example/?u=http://b.example/x y", "http://a.example/?u=http://b.example/x%20y"),
    ])
    func isNormalised(text: String, expected: String) throws {
        #expect(try HTTPURL.parse(text).url.text == expected)
    }

    @Test(arguments: [
        "", "a.example", "/path", "http://", "ftp://a.example/", "file:///x", "javascript:x",
        "http://a.example:99999/",
        "http://a.example:x/", "http://[::1", "http://a b.example/", "http://a.example/\r\nX: y",
        "http://a.example/\u{0}",
        "http://a.example/\u{7F}",
    ])
    func isRefused(text: String) {
        #expect(throws: URLError.self) { try HTTPURL.parse(text) }
    }

    @Test func credentialsAreReturnedApart() throws {
        let (url, credentials) = try HTTPURL.parse("https://us%40er:p%3Aw%2F@a.example/x")
        #expect(credentials == Credentials(user: "us@er", password: "p:w/"))
        #expect(!url.text.contains("us") && !"\(url)".contains("us"))
        #expect(try HTTPURL.parse("https://user@a.example/").credentials == Credentials(user: "user", password: ""))
        #expect(try HTTPURL.parse("https://a.example/").credentials == nil)
    }

    @Test func originFillsInThePort() throws {
        #expect(
            try HTTPURL.parse("HTTPS://A.example/").url.origin == Origin(scheme: "https", host: "a.example", port: 443))
        #expect(
            try HTTPURL.parse("http://a.example:80/").url.origin == HTTPURL.parse("http://a.example/").url.origin,
            "field case B27")
        #expect(try HTTPURL.parse("http://a.example:81/").url.origin != HTTPURL.parse("http://a.example/").url.origin)
    }

    @Test func masksQueryValuesForPeople() throws {
        let url = try HTTPURL.parse("http://a.example/f?sig=secret&x&y=&token=a=b").url
        #expect("\(url)" == "http://a.example/f?sig=…&…&y=…&token=…")
        #expect(try "\(HTTPURL.parse("http://a.example/f").url)" == "http://a.example/f")
    }

    @Test(arguments: [
        ("http://a/d/", true, "d"), ("http://a/d/f.iso", false, "f.iso"), ("http://a/", true, nil),
        ("http://a/a%20b", false, "a b"),
        ("http://a/a%2520b?x=/y/", false, "a%20b"), ("http://a/a%2Fb", false, nil), ("http://a/a%00b", false, nil),
    ])
    func lastComponent(text: String, isDirectory: Bool, name: String?) throws {
        let url = try HTTPURL.parse(text).url
        #expect(url.isDirectory == isDirectory)
        #expect(url.lastComponent == name.map { FileName($0) })
    }

    @Test func referencesAreResolved() throws {
        let base = try HTTPURL.parse("http://host:8080/a/b/").url
        #expect(base.resolving("c%2520d?x=y")?.text == "http://host:8080/a/b/c%2520d?x=y")
        #expect(base.resolving("../../../f")?.text == "http://host:8080/f")
        #expect(base.resolving("http://u:p@other/")?.text == "http://other/")
        #expect(base.resolving("mailto:x@y") == nil)
        #expect(base.resolving(reference: "/raw%zz+;?q")?.target == "/raw%zz+;?q")
    }

    @Test func aListingsReferenceIsTakenAsItIs() throws {
        let base = try HTTPURL.parse("http://a.example/d/").url
        #expect(base.resolving(reference: "/d/a%2f..%2fb?x=1?y")?.text == "http://a.example/d/a%2f..%2fb?x=1?y")
        #expect(base.resolving(reference: "//b.example/x")?.text == "http://b.example/x")
        #expect(base.resolving(reference: "mailto:x@y") == nil)
    }

    /// Half a login is worse than none: it would be tried, and the account locked.
    @Test(arguments: ["http://u%00:p@h/", "http://u:p%00@h/", "http://u:%0A@h/"])
    func userinfoThatCannotBeReadIsRefused(text: String) {
        #expect(throws: URLError.malformed("the user name or password cannot be read")) { try HTTPURL.parse(text) }
    }
}
