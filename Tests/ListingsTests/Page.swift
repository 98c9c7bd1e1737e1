import FoundationEssentials
import HTTP
import Platform

@testable import Listings

/// A page and how it was served.
struct Page {
    var body: [UInt8]
    var mediaType: String? = "text/html"
    var charset: String?
    var url = "http://127.0.0.1:8080/"
    var allowsExternalLinks = false

    init(_ body: [UInt8], charset: String? = "utf-8", url: String = "http://127.0.0.1:8080/") {
        self.body = body
        self.charset = charset
        self.url = url
    }

    init(_ text: String, url: String = "http://127.0.0.1:8080/") { self.init(Array(text.utf8), url: url) }

    /// One of the pages in Pages/, as a real server sent it.
    init(named name: String, type: String = "html", charset: String?) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Pages/\(name).\(type)")
        self.init(Array(try Data(contentsOf: file)), charset: charset, url: "http://127.0.0.1:8080/pub/")
        mediaType = type == "html" ? "text/html" : "application/\(type)"
    }

    func parse() throws -> Listing { try page().listing }

    func page() throws -> ListingPage {
        try ListingParser.parse(
            body, mediaType: mediaType, charset: charset, url: HTTPURL.parse(url).url,
            allowsExternalLinks: allowsExternalLinks)
    }

    /// The names in order, as text.
    func names() throws -> [String] {
        let listing = try parse()
        return (0..<listing.count).map { listing.name(at: $0).description }
    }
}

extension Listing {
    /// The entry of a name that must be there.
    func entry(_ name: FileName) throws -> ListingEntry { self[try unwrap(index(of: name))] }

    private func unwrap(_ index: Int?) throws -> Int {
        guard let index else { throw MissingEntry() }
        return index
    }

    struct MissingEntry: Error {}
}
