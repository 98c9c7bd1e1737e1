import HTTP
import Platform
import Testing

@testable import Listings

/// Links in spellings that servers and people use, and what they mean.
struct LinkTests {
    private func page(_ links: String..., url: String = "http://127.0.0.1:8080/pub/d1/", head: String = "") -> Page {
        Page(head + "<pre>" + links.map { "<a href=\"\($0)\">x</a>\n" }.joined() + "</pre>", url: url)
    }

    @Test(arguments: [
        ("./a.txt", "a.txt", "/pub/d1/a.txt"), ("../d1/a.txt", "a.txt", "/pub/d1/a.txt"),
        ("sub/../a.txt", "a.txt", "/pub/d1/a.txt"), (" a.txt\n", "a.txt", "/pub/d1/a.txt"),
        ("a b.txt", "a b.txt", "/pub/d1/a%20b.txt"), ("a.txt#part", "a.txt", "/pub/d1/a.txt"),
        ("/pub/%641/a.txt", "a.txt", "/pub/%641/a.txt"), ("//127.0.0.1:8080/pub/d1/a.txt", "a.txt", "/pub/d1/a.txt"),
        ("http://user@127.0.0.1:8080/pub/d1/a.txt", "a.txt", "/pub/d1/a.txt"),
        ("12:30.txt", "12:30.txt", "/pub/d1/12:30.txt"),
        ("./a:b.txt", "a:b.txt", "/pub/d1/a:b.txt"), ("..dots", "..dots", "/pub/d1/..dots"),
        ("100%.txt", "100%.txt", "/pub/d1/100%.txt"), ("%zz", "%zz", "/pub/d1/%zz"), ("a%2", "a%2", "/pub/d1/a%2"),
        ("上海", "上海", "/pub/d1/%E4%B8%8A%E6%B5%B7"), ("&#x4E0A;&eacute;", "上é", "/pub/d1/%E4%B8%8A%C3%A9"),
        ("a\\b", "a\\b", "/pub/d1/a\\b"), ("x[1].txt", "x[1].txt", "/pub/d1/x[1].txt"),
    ]) func entry(link: String, name: FileName, reference: String) throws {
        let listing = try page(link).parse()
        #expect(listing.count == 1)
        #expect(try listing.entry(name) == ListingEntry(name: name, reference: reference, kind: .file))
    }

    @Test(arguments: [
        "/pub/", "/", "/pub/d1", "/pub/d1/", "/pub/d1//x", "/pub/d2/x", "sub/x", "sub//", "../x", "../../x",
        "/pub%2Fd1/x",
        "a.txt?", "?", "#", "", " ", ".", "..", "./", "../", "x?y#z", "https://127.0.0.1:8080/pub/d1/x",
        "http://127.0.0.1/pub/d1/x",
        "http:x", "mailto:a", "a+b:c", "http://", "http://[/x", "//", "///x", "JAVASCRIPT:x",
    ]) func noEntry(link: String) throws {
        let listing = try page(link).parse()
        #expect(listing.count == 0)
        #expect(listing.skipped == 0)
    }

    @Test func defaultPortsAndCaseOfTheHost() throws {
        let page = page("HTTP://Example.TEST:80/a.txt", "http://example.test/b.txt", url: "http://example.test/")
        #expect(try page.names() == ["a.txt", "b.txt"])
    }

    @Test func baseChangesWhatRelativeLinksMean() throws {
        let relative = page("pub/d1/a.txt", "b.txt", head: "<base href=\"/\">")
        #expect(try relative.names() == ["a.txt"])
        #expect(try relative.parse()[0].reference == "/pub/d1/a.txt")
        let same = page("a.txt", head: "<base href=\"http://127.0.0.1:8080/pub/d1/index.html?x\">")
        #expect(try same.names() == ["a.txt"])
        let foreign = page("a.txt", "/pub/d1/b.txt", head: "<base href=\"http://other.test/pub/d1/\">")
        #expect(try foreign.names() == [])
    }

    @Test func listingAskedForWithoutItsSlash() throws {
        let page = page("/pub/d1/a.txt", "/pub/d1/", url: "http://127.0.0.1:8080/pub/d1")
        #expect(try page.names() == ["a.txt"])
        #expect(try page.parse()[0].reference == "/pub/d1/a.txt")
    }

    @Test func spellingOfTheDirectoryDoesNotMatter() throws {
        let page = page("/a b/x.txt", "/a%20b/y.txt", "/%61%20b/z.txt", url: "http://127.0.0.1:8080/a%20b/")
        #expect(try page.names() == ["x.txt", "y.txt", "z.txt"])
        #expect(try page.parse().entry("x.txt").reference == "/a%20b/x.txt")
        #expect(try page.parse().entry("z.txt").reference == "/%61%20b/z.txt")
    }

    @Test func sameNameInTwoSpellingsIsOneEntry() throws {
        let page = page("a%20b.txt", "a b.txt", "%61%20b.txt")
        #expect(try page.names() == ["a b.txt"])
        #expect(try page.parse()[0].reference == "/pub/d1/a%20b.txt")
    }

    @Test func areaLinksCountAndLinksInATitleDoNot() throws {
        let page = Page("<title><a href=\"t.txt\">t</a></title><map><area href=\"m.txt\"></map>")
        #expect(try page.names() == ["m.txt"])
    }

    @Test func longNamesAreSkippedAndCounted() throws {
        let long = String(repeating: "é", count: 128)
        let listing = try page(long, String(repeating: "x", count: 255), String(repeating: "y", count: 3000)).parse()
        #expect(listing.count == 1)
        #expect(listing.skipped == 1)
    }
}
