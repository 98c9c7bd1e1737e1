import HTTP
import Platform
import Testing

@testable import Listings

@Test func smoke() throws {
    let url = try HTTPURL.parse("http://127.0.0.1/").url
    let l = try ListingParser.parse(
        Array("<pre><a href=\"r.bin\">r.bin</a>      2026-01-02 03:39  1.2K\n</pre>".utf8), mediaType: "text/html",
        charset: nil, url: url, allowsExternalLinks: false)
    #expect(l[0].name == "r.bin")
    #expect(l[0].size == .approximate(1228))
}
