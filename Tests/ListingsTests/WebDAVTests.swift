import HTTP
import Platform
import Testing
import XML

@testable import Listings

struct WebDAVTests {
    private func page(_ text: String, url: String = "http://127.0.0.1:8080/dav/") -> Page {
        var page = Page(text, url: url)
        page.mediaType = "application/xml"
        return page
    }

    /// A multistatus of resources without properties.
    private func page(links: [String], url: String = "http://127.0.0.1:8080/dav/") -> Page {
        let responses = links.map { link in
            "<response><href>\(link)</href><propstat><prop><resourcetype/></prop><status>HTTP/1.1 200 OK</status></propstat></response>"
        }
        return page("<multistatus xmlns=\"DAV:\">\(responses.joined())</multistatus>", url: url)
    }

    @Test func hostOfTheBackendAndPropertiesThatAreMissing() throws {
        let listing = try page(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <D:multistatus xmlns:D="DAV:"><D:response><D:href>http://backend.internal:8081/dav/</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response><D:response><D:href>http://backend.internal:8081/dav/%5breport%5d/</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat><D:propstat><D:prop><D:getcontentlength/></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat></D:response><D:response><D:href>/dav/a%20b.txt</D:href><D:propstat><D:prop><D:resourcetype/><D:getcontentlength>5</D:getcontentlength><D:getlastmodified>Mon, 06 Jul 2026 10:00:00 GMT</D:getlastmodified></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>
            """
        ).page()
        #expect(listing.format == .webDAV)
        #expect(listing.next == nil)
        #expect(listing.listing.count == 2)
        #expect(listing.listing[0] == ListingEntry(name: "[report]", reference: "/dav/%5breport%5d/", kind: .directory))
        #expect(
            listing.listing[1]
                == ListingEntry(
                    name: "a b.txt", reference: "/dav/a%20b.txt", kind: .file, size: .exact(5), modified: 1_783_332_000)
        )
    }

    @Test func directoryAskedForWithoutItsSlash() throws {
        let text = """
            <?xml version="1.0"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response><D:response><D:href>/dav/x</D:href><D:propstat><D:prop><D:resourcetype/><D:getcontentlength>2</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>
            """
        for url in ["http://127.0.0.1:8080/dav/", "http://127.0.0.1:8080/dav"] {
            let listing = try page(text, url: url).parse()
            #expect(listing.count == 1)
            #expect(listing[0] == ListingEntry(name: "x", reference: "/dav/x", kind: .file, size: .exact(2)))
        }
    }

    @Test(arguments: [
        ("/dav/a%20b", "a b", "/dav/a%20b"), ("http://h/dav/a", "a", "/dav/a"), ("HTTPS://h:1/dav/a", "a", "/dav/a"),
        ("/dav/a b", "a b", "/dav/a%20b"), ("/dav/é", "é", "/dav/%C3%A9"), ("/dav/100%", "100%", "/dav/100%25"),
        ("/dav/5%zz", "5%zz", "/dav/5%25zz"), ("/dav/a?b#c", "a?b#c", "/dav/a%3Fb%23c"),
        ("/dav/a+b;c", "a+b;c", "/dav/a+b;c"),
        ("a", "a", "/dav/a"), ("./a", "a", "/dav/a"), ("/d%61v/a", "a", "/dav/a"), ("  /dav/a\n", "a", "/dav/a"),
        ("/dav/a:b", "a:b", "/dav/a:b"), ("/dav//a", "", ""), ("/dav/x/../a", "a", "/dav/a"),
    ]) func linksAsServersSendThem(link: String, name: String, reference: String) throws {
        let listing = try page(links: ["/dav/", link]).parse()
        guard !name.isEmpty else { return #expect(listing.count == 0) }
        #expect(listing.count == 1)
        #expect(listing[0].name == FileName(name))
        #expect(listing[0].reference == reference)
        #expect(listing[0].kind == .file)
    }

    @Test func othersAreNoEntries() throws {
        let listing = try page(
            links: [
                "/dav/", "/dav", "/", "/other/x", "/dav/d/e", "/dav/..", "/dav/%2e%2e", "/dav/a%2fb", "/davx", "",
                "/dav/nul%00",
            ]
        ).parse()
        #expect(listing.count == 0)
        #expect(listing.skipped == 3)
    }

    @Test func aProxyThatChangesPaths() throws {
        let text = """
            <x:multistatus xmlns:x="DAV:"><x:response><x:href>/remote.php/files/me</x:href><x:propstat><x:prop><x:resourcetype><x:collection/></x:resourcetype></x:prop></x:propstat></x:response>\
            <x:response><x:href>/remote.php/files/me/a%20b/</x:href><x:propstat><x:prop><x:resourcetype><x:collection/></x:resourcetype></x:prop></x:propstat></x:response>\
            <x:response><x:href>/remote.php/files/me/f</x:href></x:response></x:multistatus>
            """
        let listing = try page(text).parse()
        #expect(listing.count == 2)
        #expect(listing[0].reference == "/dav/a%20b/")
        #expect(listing[1].reference == "/dav/f")
    }

    @Test func resourcesThatAreRefusedAreNoEntries() throws {
        let text = """
            <multistatus xmlns="DAV:"><response><href>/dav/</href><propstat><prop/><status>HTTP/1.1 200 OK</status></propstat></response>\
            <response><href>/dav/gone</href><status>HTTP/1.1 404 Not Found</status></response>\
            <response><href>/dav/here</href><status>HTTP/1.1 200 OK</status></response></multistatus>
            """
        let listing = try page(text).parse()
        #expect(listing.count == 1)
        #expect(listing[0].name == "here")
    }

    @Test func aFileSaysSo() {
        let text = """
            <multistatus xmlns="DAV:"><response><href>/dav/f.txt</href><propstat><prop><resourcetype/>\
            <getcontentlength>3</getcontentlength></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>
            """
        #expect(throws: ListingError.notAListing("WebDAV says that it is a file")) {
            try page(text, url: "http://127.0.0.1:8080/dav/f.txt").parse()
        }
    }

    @Test func sizesAndDatesThatAreNotBelieved() throws {
        let values = [
            ("-1", "never"), ("1e3", "Mon, 01 Jan 0001 00:00:00 GMT"), ("99999999999999999999", ""), ("", "2026"),
        ]
        let responses = values.enumerated().map { index, value in
            "<response><href>/dav/\(index)</href><propstat><prop><getcontentlength>\(value.0)</getcontentlength><getlastmodified>\(value.1)</getlastmodified></prop></propstat></response>"
        }
        let listing = try page("<multistatus xmlns=\"DAV:\">\(responses.joined())</multistatus>").parse()
        #expect(listing.count == values.count)
        for index in 0..<listing.count {
            #expect(listing[index].size == .unknown)
            #expect(listing[index].modified == nil)
        }
    }

    @Test(arguments: [
        "", "<multistatus xmlns=\"DAV:\"><response><href>/dav/a</href></response>", "<multistatus xmlns=\"DAV:\"/><x/>",
        "<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\">]><multistatus xmlns=\"DAV:\"><response><href>&a;</href></response></multistatus>",
        "<multistatus xmlns=\"DAV:\"><response><href>&a;</href></response></multistatus>",
    ]) func brokenDocuments(text: String) {
        #expect { try page(text).parse() } throws: { error in
            if case .malformed? = error as? ListingError { true } else { false }
        }
    }

    @Test func aMultistatusOfAnotherNamespaceIsNoListing() {
        #expect(throws: ListingError.notAListing("an XML document, multistatus")) {
            try page("<multistatus xmlns=\"urn:x\"/>").parse()
        }
    }

    @Test func theRequestIsADocument() throws {
        let reader = try XMLReader(PropertyRequest.body)
        let root = try reader.root()
        #expect(reader.isNamed("propfind", in: "DAV:"))
        let properties = try #require(try reader.nextChild(of: root))
        #expect(reader.isNamed("prop", in: "DAV:"))
        var names: [String] = []
        while try reader.nextChild(of: properties) != nil { names.append(reader.localName) }
        try reader.finish()
        #expect(names == ["resourcetype", "getcontentlength", "getlastmodified"])
        #expect(PropertyRequest.headers.contains { $0 == ("Depth", "1") })
    }
}
