import HTTP
import Platform
import Testing

@testable import Listings

/// Pages of real servers over one directory with difficult names: nginx 1.22, Apache 2.4 (also its mod_dav), lighttpd 1.4,
/// CPython 3.11, Caddy 2.6, rclone 1.60 (also WebDAV), copyparty 1.20 (also WebDAV), WsgiDAV 4.4 (also its pages), Merecat
/// 2.31, Jetty 9.4, Tomcat 10.1, webfs 1.21.
struct ServerPageTests {
    struct Server: Sendable, CustomTestStringConvertible {
        let page: String
        var type = "html"
        let charset: String?
        /// Which sizes the server prints to the byte.
        let exact: @Sendable (Int64) -> Bool
        var hasColumns = true
        /// Its title says what it is.
        var isTitled = true
        var hidden: Set<FileName> = []
        var hidesLatin1 = false
        /// What it says of the size of a symbolic link may be the link's own.
        var linkSize = ListingEntry.Size.exact(1)

        var testDescription: String { "\(page).\(type)" }
    }

    private static let all: @Sendable (Int64) -> Bool = { _ in true }
    private static let none: @Sendable (Int64) -> Bool = { _ in false }

    static let servers = [
        Server(page: "nginx", charset: nil, exact: all, hidden: ["..dots"]),
        Server(page: "nginx-rounded", charset: "utf-8", exact: { $0 <= 9999 }, hidden: ["..dots"]),
        Server(page: "nginx", type: "json", charset: nil, exact: all, isTitled: false, hidden: ["..dots"]),
        Server(page: "apache-fancy", charset: "ISO-8859-1", exact: { $0 < 973 }),
        Server(page: "apache-table", charset: "UTF-8", exact: { $0 < 973 }),
        Server(page: "apache-plain", charset: "ISO-8859-1", exact: none, hasColumns: false),
        Server(page: "apache-webdav", type: "xml", charset: "utf-8", exact: all, hidden: ["link.txt"]),
        Server(page: "lighttpd", charset: nil, exact: none, hidden: ["..dots"]),
        Server(page: "python", charset: "utf-8", exact: none, hasColumns: false),
        Server(page: "caddy", charset: "utf-8", exact: all, isTitled: false),
        Server(page: "caddy", type: "json", charset: "utf-8", exact: all, isTitled: false, linkSize: .unknown),
        Server(page: "rclone", charset: "utf-8", exact: all, isTitled: false, hidden: ["link.txt"]),
        Server(page: "rclone-webdav", type: "xml", charset: "utf-8", exact: all, hidden: ["link.txt"]),
        Server(page: "copyparty", charset: "utf-8", exact: all, isTitled: false, hidden: ["..dots"]),
        Server(page: "copyparty-webdav", type: "xml", charset: "utf-8", exact: all, hidden: ["..dots"]),
        Server(page: "wsgidav", charset: "utf-8", exact: all, hidden: ["link.txt"], hidesLatin1: true),
        Server(
            page: "wsgidav-webdav", type: "xml", charset: "utf-8", exact: all, hidden: ["link.txt"], hidesLatin1: true),
        Server(page: "merecat", charset: "utf-8", exact: { $0 < 1024 }, hidden: ["..dots"], linkSize: .exact(7)),
        Server(page: "jetty", charset: "utf-8", exact: all),
        Server(page: "tomcat", charset: "utf-8", exact: none, hidden: ["link.txt"], hidesLatin1: true),
        Server(page: "webfs", charset: nil, exact: none, hasColumns: false, isTitled: false, hidden: ["a:b.txt"]),
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
        let listing = try Page(named: server.page, type: server.type, charset: server.charset).parse()
        let names = Set((0..<listing.count).map { listing.name(at: $0) })
        let expected = Set(Self.files.keys).union(Self.directories).subtracting(server.hidden)
        let foreign = names.subtracting(expected)
        #expect(expected.subtracting(names).isEmpty)
        #expect(foreign.count == (server.hidesLatin1 ? 0 : 1))
        #expect(foreign.allSatisfy { $0.description.hasPrefix("caf") })
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
        let listing = try Page(named: server.page, type: server.type, charset: server.charset).parse()
        for (name, size) in Self.files where !server.hidden.contains(name) {
            let entry = try listing.entry(name)
            if name == "link.txt", server.linkSize != .exact(1) {
                #expect(entry.size == server.linkSize)
                continue
            }
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
        var page = try Page(named: server.page + "-empty", type: server.type, charset: server.charset)
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
        let page = try Page(named: server.page, type: server.type, charset: server.charset)
        let url = try HTTPURL.parse("http://127.0.0.1:8080/pub").url
        let start = Array(page.body.prefix(4096))
        #expect(ListingParser.isListing(start, mediaType: page.mediaType, url: url) == server.isTitled)
        #expect(!ListingParser.isListing(start, mediaType: "text/plain", url: url))
    }

    @Test func aServerThatWritesDirectoriesLikeFilesIsNotBelieved() throws {
        let listing = try Page(named: "mini-httpd", charset: nil).parse()
        #expect(listing.count == Self.files.count + Self.directories.count + 1)
        for index in 0..<listing.count {
            #expect(listing[index].kind == .unknown)
            #expect(listing[index].size == .unknown)
            #expect(listing[index].modified == Self.modified)
        }
        #expect(try Page(named: "mini-httpd-empty", charset: nil).parse().count == 0)
    }
}
