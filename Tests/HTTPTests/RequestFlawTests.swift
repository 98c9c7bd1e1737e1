import Testing

@testable import HTTP

struct RequestFlawTests {
    private func request(_ change: (inout Request) -> Void) throws -> Request {
        var request = Request(.get, try HTTPURL.parse("http://a.example/x").url, purpose: .demand)
        change(&request)
        return request
    }

    @Test func goodRequestsHaveNone() throws {
        let request = try request {
            $0.headers = [("Accept", "text/html, */*;q=0.5"), ("X-Other", "naïve\tvalue"), ("Empty", "")]
            $0.ifMatch = "\"ü\""
            $0.range = 0..<1
        }
        #expect(RequestFlaw(of: request) == nil)
    }

    @Test(arguments: ["a\r\nX: y", "a\rb", "a\nb", "a\u{0}b", "\u{1B}[1m", "a\u{7F}"])
    func controlCharactersAreRefusedEverywhere(text: String) throws {
        #expect(RequestFlaw(of: try request { $0.headers = [("A", text)] }) != nil)
        #expect(RequestFlaw(of: try request { $0.headers = [(text, "a")] }) != nil)
        #expect(RequestFlaw(of: try request { $0.headers = [("A", "b"), ("A", text)] }) != nil)
        #expect(RequestFlaw(of: try request { $0.ifMatch = text }) != nil)
        #expect(RequestFlaw(of: try request { $0.url = $0.url.replacing(path: "/" + text) }) != nil)
        #expect(RequestFlaw(of: try request { $0.url = $0.url.replacing(path: "/", query: text) }) != nil)
    }

    @Test(arguments: ["", "a b", "a:", "ü"])
    func namesOfHeadersAreTokens(name: String) throws {
        #expect(RequestFlaw(of: try request { $0.headers = [(name, "a")] }) != nil)
    }

    @Test(arguments: [0..<0, 5..<5, -1..<3] as [Range<Int64>])
    func rangesAreNotEmpty(range: Range<Int64>) throws {
        #expect(RequestFlaw(of: try request { $0.range = range }) != nil)
    }
}
