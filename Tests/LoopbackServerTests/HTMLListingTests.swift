import Platform
import Testing

@testable import LoopbackServer

@Suite struct HTMLListingTests {
    private static let entries: [HTMLListing.Entry] = [
        .directory("sub"), .file("a b%&.txt", size: 5000),
        .file("a-name-that-is-longer-than-the-fifty-columns-nginx-shows.txt", size: 0),
    ]

    /// The line that names the second entry, written by the real server.
    @Test(arguments: [
        (
            HTMLListing.Style.nginx,
            "<a href=\"a%20b%25%26.txt\">a b%&amp;.txt</a>                                         "
                + " 06-Jul-2026 10:00                5000"
        ),
        (
            .apacheFancy,
            "<img src=\"/icons/unknown.gif\" alt=\"[   ]\"> <a href=\"a%20b%25&amp;.txt\">a b%&amp;.txt</a>"
                + "               2026-07-06 10:00  4.9K  "
        ),
        (.apachePlain, "<li><a href=\"a%20b%25&amp;.txt\"> a b%&amp;.txt</a></li>"),
        (
            .lighttpd,
            "<tr><td class=\"n\"><a href=\"a%20b%25%26.txt\">a b%&amp;.txt</a></td>"
                + "<td class=\"m\">2026-Jul-06 10:00:00</td><td class=\"s\">4.9K</td>"
                + "<td class=\"t\">application/octet-stream</td></tr>"
        ),
        (.python, "<li><a href=\"a%20b%25%26.txt\">a b%&amp;.txt</a></li>"),
    ])
    func linesLookLikeTheServers(_ style: HTMLListing.Style, _ line: String) {
        let text = HTMLListing("/d/", style: style, Self.entries).text
        let lines = text.split { $0 == "\n" || $0 == "\r\n" }.map(String.init)
        #expect(lines.contains(line), "\(text)")
    }

    @Test func longNamesAreCutInTheTextOnly() {
        let nginx = HTMLListing("/", style: .nginx, Self.entries).text
        #expect(nginx.contains("nginx-shows.txt\">a-name-that-is-longer-than-the-fifty-columns-ng..&gt;</a> 06-Jul"))
        let apache = HTMLListing("/", style: .apacheFancy, Self.entries).text
        #expect(apache.contains("nginx-shows.txt\">a-name-that-is-longe..&gt;</a> 2026-07-06"))
    }

    @Test func theParentIsLinkedAsTheServersDo() {
        #expect(HTMLListing("/a/b/", style: .apacheFancy, []).text.contains("<a href=\"/a/\">Parent Directory"))
        #expect(!HTMLListing("/", style: .apacheFancy, []).text.contains("Parent"))
        #expect(HTMLListing("/", style: .nginx, []).text.contains("<a href=\"../\">../</a>"))
    }

    @Test(arguments: HTMLListing.Style.allCases)
    func namesOfAnyBytesAreEncodedInLinks(_ style: HTMLListing.Style) {
        let name = FileName(bytes: [0xFF, 0x0A] + Array("q\"<.txt".utf8))
        let text = HTMLListing("/", style: style, [.file(name, size: 1), .file("x:y", size: 1)]).text
        #expect(text.contains("href=\"%FF%0Aq%22%3C.txt\""))
        #expect(!text.contains("href=\"x:y\""))
    }

    @Test(arguments: [
        (0, "  0 "), (972, "972 "), (973, "1.0K"), (5000, "4.9K"), (10_000, "9.8K"), (10_240, " 10K"),
        (1_048_576, "1.0M"), (12_582_913, " 12M"), (1 << 40, "1.0T"),
    ])
    func apacheRoundsLikeThis(_ size: Int64, _ text: String) { #expect(RoundedSize.apache(size) == text) }

    @Test(arguments: [(0, "0.0K"), (440, "0.4K"), (5000, "4.9K"), (67_108_864, "64.0M")])
    func lighttpdRoundsLikeThis(_ size: Int64, _ text: String) { #expect(RoundedSize.lighttpd(size) == text) }
}
