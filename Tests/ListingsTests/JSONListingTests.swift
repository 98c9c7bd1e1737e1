import HTTP
import Platform
import Testing

@testable import Listings

struct JSONListingTests {
    private func page(_ text: String, url: String = "http://127.0.0.1:8080/pub/") -> Page {
        var page = Page(text, url: url)
        page.mediaType = "application/json"
        return page
    }

    @Test func namesOfNginx() throws {
        let listing = try page(
            """
            [
            { "name":"a \\"b\\" %20.txt", "type":"file", "mtime":"Fri, 02 Jan 2026 03:39:00 GMT", "size":5368709127 },
            { "name":"d", "type":"directory", "mtime":"Fri, 02 Jan 2026 03:39:00 GMT" },
            { "name":"socket", "type":"other", "mtime":"Fri, 02 Jan 2026 03:39:00 GMT" }
            ]
            """
        ).parse()
        #expect(listing.count == 3)
        #expect(
            listing[0]
                == ListingEntry(
                    name: "a \"b\" %20.txt", reference: "/pub/a%20%22b%22%20%2520.txt", kind: .file,
                    size: .exact(5_368_709_127), modified: 1_767_325_140))
        #expect(listing[1].kind == .directory)
        #expect(listing[1].reference == "/pub/d/")
        #expect(listing[2].kind == .unknown)
    }

    @Test func theLinkCountsNotTheName() throws {
        let listing = try page(
            """
            [{"name":"caf\\ufffd.txt","size":1,"url":"./caf%E9.txt","mod_time":"2026-01-02T04:39:00.5+01:00","is_dir":false},
            {"name":"d/","size":4096,"url":"./d/","mod_time":"0001-01-01T00:00:00Z","is_dir":true,"is_symlink":false},
            {"name":"evil","size":1,"url":"http://other.example/evil","is_dir":false},
            {"name":"up","size":1,"url":"../up","is_dir":false}]
            """
        ).parse()
        #expect(listing.count == 2)
        #expect(listing[0].name.bytes == Array("caf".utf8) + [0xE9] + Array(".txt".utf8))
        #expect(listing[0].reference == "/pub/caf%E9.txt")
        #expect(listing[0].modified == 1_767_325_140)
        #expect(listing[1] == ListingEntry(name: "d", reference: "/pub/d/", kind: .directory))
    }

    @Test func namesInTheCharsetOfTheHeader() throws {
        var page = page("")
        page.body = Array("[{\"name\":\"caf".utf8) + [0xE9] + Array("\",\"type\":\"file\"}]".utf8)
        page.charset = "iso-8859-1"
        #expect(try page.parse()[0] == ListingEntry(name: "café", reference: "/pub/caf%E9", kind: .file))
    }

    @Test func hostileNames() throws {
        let listing = try page(
            """
            [{"name":"..","type":"directory"},{"name":"../../etc/passwd","type":"file"},{"name":"a\\u0000b","type":"file"},
            {"name":"","type":"file"},{"name":"/","type":"directory"},{"name":"ok","type":"file","size":-1}]
            """
        ).parse()
        #expect(listing.count == 1)
        #expect(listing[0] == ListingEntry(name: "ok", reference: "/pub/ok", kind: .file))
        #expect(listing.skipped == 5)
    }

    @Test(arguments: [
        "{}", "{\"files\":[]}", "null", "17", "\"text\"", "[1]", "[\"a\"]", "[{}]", "[{\"name\":\"only\"}]",
        "[{\"id\":1,\"size\":2}]", "[{\"name\":7,\"size\":1}]",
    ]) func otherDocumentsAreNoListing(text: String) {
        #expect { try page(text).parse() } throws: { error in
            if case .notAListing? = error as? ListingError { true } else { false }
        }
    }

    @Test(arguments: ["", "[", "[{\"name\":\"a\",\"type\":\"file\"}", "[] <html>"]) func brokenDocuments(text: String) {
        #expect { try page(text).parse() } throws: { error in
            if case .malformed? = error as? ListingError { true } else { false }
        }
    }

    @Test func manyEntriesStaySmall() throws {
        var text = "["
        for number in 0..<20_000 {
            text +=
                "{ \"name\":\"f\(number).dat\", \"type\":\"file\", \"mtime\":\"Fri, 02 Jan 2026 03:39:00 GMT\", \"size\":10 },"
        }
        let listing = try page(text.dropLast() + "]").parse()
        #expect(listing.count == 20_000)
        #expect(listing.bytesUsed < 3 << 20)
        #expect(listing[19_999].reference == "/pub/f19999.dat")
    }

    @Test func aFileOfJSONIsNoListing() throws {
        let url = try HTTPURL.parse("http://127.0.0.1/data.json").url
        #expect(!ListingParser.mayBeListing(mediaType: "application/json"))
        #expect(!ListingParser.isListing(Array("[]".utf8), mediaType: "application/json", url: url))
    }
}
