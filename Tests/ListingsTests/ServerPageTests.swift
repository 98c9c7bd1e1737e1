import HTTP
import Platform
import Testing

@testable import Listings

/// Pages of real servers (nginx 1.22, Apache 2.4, lighttpd 1.4, CPython 3.11) over one directory with difficult names.
struct ServerPageTests {
    struct Server: Sendable {
        let page: String
        let charset: String?
        /// Which sizes the server prints to the byte.
        let exact: @Sendable (Int64) -> Bool
        var hasColumns = true
        var hidden: Set<FileName> = []
    }

    static let servers = [
        Server(page: "nginx", charset: nil, exact: { _ in true }, hidden: ["..dots"]),
        Server(page: "nginx-rounded", charset: "utf-8", exact: { $0 <= 9999 }, hidden: ["..dots"]),
        Server(page: "apache-fancy", charset: "ISO-8859-1", exact: { $0 < 973 }),
        Server(page: "apache-table", charset: "UTF-8", exact: { $0 < 973 }),
        Server(page: "apache-plain", charset: "ISO-8859-1", exact: { _ in false }, hasColumns: false),
        Server(page: "lighttpd", charset: nil, exact: { _ in false }, hidden: ["..dots"]),
        Server(page: "python", charset: "utf-8", exact: { _ in false }, hasColumns: false),
    ]

    /// Every file of the directory but the one whose name is no UTF-8.
    static let files: [FileName: Int64] = [
        "one.txt": 1, "r.bin": 1273, "m.bin": 1_048_999, "s.bin": 512, "k.bin": 1000, "empty.txt": 0, "a b&c.txt": 1,
        "100%.txt": 1, "q?.txt": 1, "h#.txt": 1, "it's <x>.txt": 1, "a:b.txt": 1, "back\\slash.txt": 1, "é上海.txt": 1,
        "a+b;c.txt": 1, "..dots": 1, "a\"q\".txt": 1, "link.txt": 1,
        "report-of-the-year-2026-part-one-with-a-very-long-name-01.pdf": 1,
    ]
    static let directories: Set<FileName> = ["d1", "empty", "sub dir"]
    static let modified: Int64 = 1_767_325_140

    @Test(arguments: servers) func namesAndReferences(server: Server) throws {
        let listing = try Page(named: server.page, charset: server.charset).parse()
        let names = Set((0..<listing.count).map { listing.name(at: $0) })
        let expected = Set(Self.files.keys).union(Self.directories).subtracting(server.hidden)
        let foreign = names.subtracting(expected)
        #expect(expected.subtracting(names).isEmpty)
        #expect(foreign.count == 1 && foreign.first?.description.hasPrefix("caf") == true)
        #expect(listing.count == names.count)
        #expect(listing.skipped == 0)
        for index in 0..<listing.count {
            let entry = listing[index]
            let isDirectory = Self.directories.contains(entry.name)
            #expect(entry.kind == (isDirectory ? .directory : .file))
            #expect(entry.reference.hasSuffix("/") == isDirectory)
            #expect(entry.reference.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            if entry.name != foreign.first {
                #expect(
                    PercentEncoding.decode(Array(entry.reference.utf8)[...])
                        == Array("/pub/".utf8) + entry.name.bytes + (isDirectory ? [0x2F] : []))
            }
        }
    }

    @Test(arguments: servers) func sizesAndDates(server: Server) throws {
        let listing = try Page(named: server.page, charset: server.charset).parse()
        for (name, size) in Self.files where !server.hidden.contains(name) {
            let entry = try listing.entry(name)
            #expect(entry.modified == (server.hasColumns ? Self.modified : nil))
            switch entry.size {
            case .exact(let shown): #expect(shown == size && server.exact(size))
            case .approximate(let shown):
                #expect(abs(shown - size) < 200_000 && server.hasColumns && !server.exact(size))
            case .unknown: #expect(!server.hasColumns)
            }
        }
        for name in Self.directories { #expect(try listing.entry(name).size == .unknown) }
    }

    @Test(arguments: servers) func emptyDirectory(server: Server) throws {
        var page = try Page(named: server.page + "-empty", charset: server.charset)
        page.url = "http://127.0.0.1:8080/pub/empty/"
        #expect(try page.parse().count == 0)
    }

    @Test func latin1NamesOfApacheAreShownAsUTF8() throws {
        let listing = try Page(named: "apache-fancy", charset: "ISO-8859-1").parse()
        #expect(try listing.entry("café.txt").reference == "/pub/caf%e9.txt")
    }

    @Test func withoutACharsetNameBytesStayAsTheyAre() throws {
        let listing = try Page(named: "nginx", charset: nil).parse()
        let name = FileName(bytes: Array("caf".utf8) + [0xE9] + Array(".txt".utf8))
        #expect(try listing.entry(name).reference == "/pub/caf%E9.txt")
    }

    @Test(arguments: servers) func isRecognisedWithoutASlashInTheURL(server: Server) throws {
        let page = try Page(named: server.page, charset: server.charset)
        let url = try HTTPURL.parse("http://127.0.0.1:8080/pub").url
        #expect(ListingParser.isListing(Array(page.body.prefix(4096)), mediaType: "text/html", url: url))
        #expect(!ListingParser.isListing(Array(page.body.prefix(4096)), mediaType: "text/plain", url: url))
    }
}
