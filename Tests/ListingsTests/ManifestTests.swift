import Platform
import Testing

@testable import Listings

struct ManifestTests {
    private func manifest(_ text: String) throws -> Manifest { try Manifest(Array(text.utf8)) }

    @Test func namesAndPlainURLs() throws {
        let manifest = try manifest(
            "\u{FEFF}# what we need\r\nnotes/2026/a b.txt\thttps://one.example/x?sig=1%2F2\r\n\r\n"
                + "https://two.example/pub/c%20d.iso\n \t \nnotes/e\t  http://h/e  \nhttps://three.example\n音楽\thttp://h/é"
        )
        let root = try #require(manifest.listing(of: []))
        #expect((0..<root.count).map { root.name(at: $0) } == ["notes", "c d.iso", "three.example", "音楽"])
        #expect(root[0] == ListingEntry(name: "notes", reference: "/notes/", kind: .directory))
        #expect(root[1] == ListingEntry(name: "c d.iso", reference: "https://two.example/pub/c%20d.iso", kind: .file))
        #expect(root[2].kind == .directory)
        #expect(root[3].reference == "http://h/%C3%A9")
        let notes = try #require(manifest.listing(of: ["notes"]))
        #expect(notes.count == 2)
        #expect(notes[0] == ListingEntry(name: "2026", reference: "/notes/2026/", kind: .directory))
        #expect(notes[1].reference == "http://h/e")
        let year = try #require(manifest.listing(of: ["notes", "2026"]))
        #expect(year[0].reference == "https://one.example/x?sig=1%2F2")
        #expect(manifest.listing(of: ["2026"]) == nil)
        #expect(manifest.paths.count == 3)
    }

    @Test(arguments: ["", "\n\n", "# nothing", "\u{FEFF}"]) func emptyManifests(text: String) throws {
        #expect(try manifest(text).listing(of: [])?.count == 0)
    }

    @Test func aURLWithASlashIsADirectory() throws {
        let root = try #require(try manifest("d\thttps://h/pub/\nf\thttps://h/pub/?x=1").listing(of: []))
        #expect(root[0] == ListingEntry(name: "d", reference: "https://h/pub/", kind: .directory))
        #expect(root[1] == ListingEntry(name: "f", reference: "https://h/pub/?x=1", kind: .file))
    }

    @Test(arguments: [
        ("http://h/a\nftp://h/b", "line 2: its URL cannot be used: the scheme \"ftp\" is not http or https"),
        ("a\tb\thttp://h/", "line 1: its URL cannot be used: it holds a control character"),
        ("../a\thttp://h/a", "line 1: its name cannot be one of a file"),
        ("a/./b\thttp://h/a", "line 1: its name cannot be one of a file"),
        ("\thttp://h/a", "line 1: its name cannot be one of a file"),
        ("/\thttp://h/a", "line 1: its name cannot be one of a file"),
        ("a\0b\thttp://h/a", "line 1: its name cannot be one of a file"),
        ("a\thttp://h/a\n\nb/a\thttp://h/\na\thttp://i/a", "line 4: line 1 has the name a too"),
        ("a\thttp://h/a\na/b\thttp://h/b", "line 2: line 1 has the name a too"),
        ("a/b\thttp://h/b\na\thttp://h/a", "line 2: line 1 has the name a too"),
        ("http://u:p@h/a", "line 1: its URL cannot be used: user name and password belong into ~/.netrc"),
    ]) func mistakesAreTold(text: String, words: String) {
        #expect { try manifest(text) } throws: { "\($0)" == words }
    }

    @Test func aURLIsText() throws {
        let line = Array("a".utf8) + [0xE9, 0x09] + Array("http://h/".utf8)
        #expect(try Manifest(line).listing(of: [])?.name(at: 0).bytes == [0x61, 0xE9])
        #expect { try Manifest(line + [0xE9]) } throws: { "\($0)" == "line 1: its URL is not UTF-8" }
    }

    @Test func aWordIsNoURL() {
        #expect(throws: ManifestError.self) { try manifest("nonsense") }
    }

    @Test func depthIsBounded() {
        let path = String(repeating: "d/", count: 65) + "f"
        #expect { try manifest(path + "\thttp://h/") } throws: { "\($0)" == "line 1: its name is too deep" }
    }

    @Test func sizeIsBounded() {
        #expect { try Manifest([UInt8](repeating: 0x0A, count: 16 << 20 + 1)) } throws: { "\($0)" == "over 16 MiB" }
        let url = "http://h/" + String(repeating: "x", count: 70_000)
        #expect { try manifest("a\t" + url) } throws: { "\($0)" == "line 1: its URL is too long" }
    }

    @Test func leadingAndDoubleSlashesOfANameSayNothing() throws {
        let manifest = try manifest("/a//b\thttp://h/b")
        #expect(manifest.listing(of: ["a"])?.name(at: 0) == "b")
    }
}
