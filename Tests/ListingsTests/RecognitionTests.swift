import HTTP
import Platform
import Testing

@testable import Listings

struct RecognitionTests {
    @Test(arguments: ["", "\n", "<pre></pre>", "<html><head><title>Index of /x</title></head></html>"])
    func emptyDirectories(text: String) throws {
        #expect(try Page(text).parse().count == 0)
    }

    @Test(arguments: [
        "<html><body>It works!</body></html>", "<html><body></body></html>", "<h1>404 Not Found</h1><pre></pre>",
        "<title>Log in</title><form><input name=u><input type=PASSWORD name=p></form><a href=\"help\">help</a>",
        "<title>Error</title><a href=\"home\">home</a>", "<title>HTTP Status 500 - x</title><a href=\"home\">home</a>",
        "<title>503 Service Unavailable</title><a href=\"status\">status</a>", "<a href=\"/\">Home</a>",
        "no markup at all",
    ]) func pagesThatAreNoListing(text: String) {
        #expect { try Page(text, url: "http://127.0.0.1:8080/pub/").parse() } throws: { error in
            if case .notAListing? = error as? ListingError { true } else { false }
        }
    }

    @Test(arguments: ["text/html", "TEXT/HTML ;charset=utf-8", "application/xhtml+xml", nil])
    func acceptedTypes(mediaType: String?) throws {
        var page = Page("<!DOCTYPE HTML><a href=\"x\">x</a>")
        page.mediaType = mediaType
        #expect(try page.names() == ["x"])
    }

    @Test func bucketSentAsAPageIsOne() throws {
        var page = Page("<?xml version=\"1.0\"?><ListBucketResult><Contents><Key>k</Key></Contents></ListBucketResult>")
        page.mediaType = "text/html"
        page.url = "http://127.0.0.1:8080/bucket/?delimiter=%2F"
        #expect(try page.names() == ["k"])
    }

    @Test(arguments: ["text/plain", "application/octet-stream", "image/png", ""]) func otherTypes(mediaType: String?) {
        var page = Page("<!DOCTYPE HTML><title>Index of /</title><a href=\"x\">x</a>")
        page.mediaType = mediaType
        #expect(throws: ListingError.self) { try page.parse() }
        page.mediaType = nil
        page.body = Array("\u{7F}ELF <html>".utf8)
        #expect(throws: ListingError.self) { try page.parse() }
    }

    @Test func aPageWithoutAListingsTitleIsAFile() throws {
        let url = try HTTPURL.parse("http://127.0.0.1/notes").url
        #expect(
            !ListingParser.isListing(
                Array("<title>Notes</title><a href=\"x\">x</a>".utf8), mediaType: "text/html", url: url))
        #expect(ListingParser.isListing(Array("<title>\n Index of /notes".utf8), mediaType: "text/html", url: url))
    }

    @Test func captionsOfRefusedPagesAreSafeToShow() {
        #expect(throws: ListingError.notAListing("an error page: 404 \u{FFFD}2J")) {
            try Page("<title>404 \u{9B}2J</title>").parse()
        }
    }
}
