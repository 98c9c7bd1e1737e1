import Testing

@testable import HTTP

struct RedirectStepTests {
    private func step(_ status: Int, _ location: String?, from: String = "http://host/a/b", hops: Int = 0) throws
        -> RedirectStep
    {
        RedirectStep(status: status, location: location, from: try HTTPURL.parse(from).url, hops: hops)
    }

    @Test func targetsAreResolved() throws {
        for status in [301, 302, 303, 307, 308] {
            #expect(try step(status, "../c?d=e") == .follow(try HTTPURL.parse("http://host/c?d=e").url))
        }
        #expect(try step(302, "//other:81/x") == .follow(try HTTPURL.parse("http://other:81/x").url))
    }

    @Test func otherAnswersAreNone() throws {
        #expect(try step(200, "/x") == .none)
        #expect(try step(304, "/x") == .none)
        #expect(try step(302, nil) == .none)
    }

    @Test func tenHopsAreTheEnd() throws {
        #expect(try step(302, "/x", hops: 9) != .refuse(.tooManyRedirects))
        #expect(try step(302, "/x", hops: 10) == .refuse(.tooManyRedirects))
    }

    @Test func neverToPlainTextOrElsewhere() throws {
        for (location, from) in [
            ("http://host/", "https://host/"), ("ftp://host/", "http://host/"), ("file:///etc/passwd", "http://host/"),
        ] {
            guard case .refuse(.refusedRedirect) = try step(302, location, from: from) else {
                Issue.record("\(from) -> \(location) was followed")
                continue
            }
        }
    }
}
