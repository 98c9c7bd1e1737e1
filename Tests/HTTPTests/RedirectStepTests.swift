import Testing

@testable import HTTP

struct RedirectStepTests {
    private static func step(
        _ status: Int = 302, _ location: String?, from: String = "http://a.example/d/f?q=1", hops: Int = 0
    ) throws -> RedirectStep {
        RedirectStep(status: status, location: location, from: try HTTPURL.parse(from).url, hops: hops)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func followedStatuses(status: Int) throws {
        #expect(try Self.step(status, "/x") == .follow(try HTTPURL.parse("http://a.example/x").url))
    }

    @Test(arguments: [200, 201, 206, 300, 304, 305, 306, 309, 400, 404, 503])
    func otherStatuses(status: Int) throws {
        #expect(try Self.step(status, "/x") == .none)
    }

    @Test func withoutALocationItIsAnAnswer() throws {
        #expect(try Self.step(302, nil) == .none)
    }

    @Test(arguments: [
        ("/x", "http://a.example/x"), ("x", "http://a.example/d/x"), ("../x", "http://a.example/x"),
        ("./", "http://a.example/d/"), ("?r=2", "http://a.example/d/f?r=2"), ("", "http://a.example/d/f?q=1"),
        ("#top", "http://a.example/d/f?q=1"), ("//b.example/x", "http://b.example/x"),
        ("https://b.example:8443/x?y#z", "https://b.example:8443/x?y"), ("HTTP://B.example/", "http://b.example/"),
        ("http://user:pw@b.example/x", "http://b.example/x"), ("/a b", "http://a.example/a%20b"),
        ("/naïve", "http://a.example/na%C3%AFve"), ("/a%20b", "http://a.example/a%20b"),
        ("/login?next=http://c.example/a b", "http://a.example/login?next=http://c.example/a%20b"),
        ("/a b?next=http://c.example/", "http://a.example/a%20b?next=http://c.example/"),
        ("http://b.example?x=ü", "http://b.example/?x=%C3%BC"),
    ])
    func targets(location: String, target: String) throws {
        guard case .follow(let url) = try Self.step(302, location) else {
            Issue.record("not followed")
            return
        }
        #expect(url.text == target)
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://a.example/x", "javascript:alert(1)", "gopher://a.example/", "http://",
        "http://[::1",
        "/a\u{1}b", "data:text/html,x",
    ])
    func refusedTargets(location: String) throws {
        guard case .refuse(.refusedRedirect) = try Self.step(302, location) else {
            Issue.record("followed")
            return
        }
    }

    @Test func neverFromHTTPSToHTTP() throws {
        guard case .refuse(.refusedRedirect) = try Self.step(302, "http://a.example/x", from: "https://a.example/f")
        else {
            Issue.record("followed")
            return
        }
        #expect(
            try Self.step(302, "https://b.example/x", from: "https://a.example/f")
                == .follow(try HTTPURL.parse("https://b.example/x").url))
        #expect(
            try Self.step(302, "//b.example/x", from: "https://a.example/f")
                == .follow(try HTTPURL.parse("https://b.example/x").url))
    }

    @Test func tenHopsAreTheLimit() throws {
        #expect(try Self.step(302, "/x", hops: 9) == .follow(try HTTPURL.parse("http://a.example/x").url))
        #expect(try Self.step(302, "/x", hops: 10) == .refuse(.tooManyRedirects))
        #expect(try Self.step(200, "/x", hops: 10) == .none)
    }
}
