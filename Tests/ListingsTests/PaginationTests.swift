import HTTP
import Platform
import Testing

@testable import Listings

struct PaginationTests {
    private let url = "http://127.0.0.1:8080/pub/"

    private func next(_ link: String, url: String = "http://127.0.0.1:8080/pub/") throws -> String? {
        try Page("<pre><a href=\"x\">x</a>\(link)</pre>", url: url).page().next?.target
    }

    @Test(arguments: [
        ("<a rel=\"next\" href=\"?page=2\">Next</a>", "/pub/?page=2"),
        ("<a href='?page=2&amp;n=50#top' rel='nofollow NEXT'>Next</a>", "/pub/?page=2&n=50"),
        ("<link rel=next href=\"http://127.0.0.1:8080/pub/?after=a%2Fb\">", "/pub/?after=a%2Fb"),
        ("<a rel=next href=\"/pub/index2.html\">2</a>", "/pub/index2.html"),
        ("<a rel=next href=\"page2\">2</a>", "/pub/page2"), ("<a rel=next href=\"?q=a b\">2</a>", "/pub/?q=a%20b"),
    ]) func linkToTheNextPage(link: String, target: String) throws {
        #expect(try next(link) == target)
        #expect(try Page("<pre><a href=\"x\">x</a>\(link)</pre>", url: url).names() == ["x"])
    }

    @Test(arguments: [
        "<a rel=\"prev\" href=\"?page=1\">Back</a>", "<a rel=next>Next</a>", "<a rel=next href=\"\">Next</a>",
        "<a rel=next href=\"#\">Next</a>", "<a rel=next href=\"../?page=2\">Next</a>",
        "<a rel=next href=\"http://other.example/pub/?page=2\">Next</a>", "<a rel=next href=\"sub/?page=2\">Next</a>",
        "<a rel=next href=\"javascript:next()\">Next</a>", "<a rel=next href=\"/pub/\">Next</a>",
    ]) func linksThatLeadToNoPage(link: String) throws {
        #expect(try next(link) == nil)
    }

    @Test func pagesAreJoined() throws {
        let pages = [
            "<pre><a href=\"a\">a</a> 02-Jan-2026 03:39 5\n<a href=\"b\">b</a><a rel=next href=\"?p=2\">n</a></pre>",
            "<pre><a href=\"..%2fx\">x</a><a href=\"c d/\">c</a>\n<a href=\"b\">b</a> 02-Jan-2026 03:39 7\n<a rel=next href=\"?p=3\">n</a></pre>",
            "<pre><a href=\"e\">e</a></pre>",
        ]
        var request = try HTTPURL.parse(url).url
        var paged = PagedListing(first: request)
        for (index, text) in pages.enumerated() {
            let next = try paged.append(try Page(text, url: request.text).page())
            #expect((next == nil) == (index == pages.count - 1))
            if let next { request = next }
        }
        let listing = paged.listing
        #expect((0..<listing.count).map { listing.name(at: $0) } == ["a", "b", "c d", "e"])
        #expect(listing.skipped == 1)
        #expect(try listing.entry("b").size == .exact(7))
        #expect(try listing.entry("c d").reference == "/pub/c%20d/")
        #expect(try listing.entry("e").reference == "/pub/e")
    }

    @Test func pagesOfOtherDirectoriesKeepTheirReferences() {
        var listing = Listing(base: "/a/")
        var other = Listing(base: "/b/")
        _ = other.insert(name: Array("n".utf8), reference: .name, kind: .file)
        _ = other.insert(name: Array("s s".utf8), reference: .segment(Array("s%20s".utf8)), kind: .directory)
        _ = other.insert(name: Array("w".utf8), reference: .whole(Array("/c/w".utf8)), kind: .directory)
        listing.append(contentsOf: other)
        #expect((0..<3).map { listing[$0].reference } == ["/b/n", "/b/s%20s/", "/c/w/"])
    }

    @Test func circlesEnd() throws {
        let first = try HTTPURL.parse(url).url
        var paged = PagedListing(first: first)
        let page = { (target: String) in
            ListingPage(
                listing: Listing(base: "/pub/"), next: first.replacing(path: "/pub/", query: target), format: .html)
        }
        #expect(try paged.append(page("p=2")) != nil)
        #expect(try paged.append(page("p=3")) != nil)
        #expect(throws: ListingError.malformed("its pages lead in a circle")) { try paged.append(page("p=2")) }
    }

    @Test func endlessPagesEnd() throws {
        let first = try HTTPURL.parse(url).url
        var paged = PagedListing(first: first)
        #expect(throws: ListingError.tooLarge) {
            for number in 0..<20_000 {
                let next = first.replacing(path: "/pub/", query: "p=\(number)")
                _ = try paged.append(ListingPage(listing: Listing(base: "/pub/"), next: next, format: .html))
            }
        }
    }
}
