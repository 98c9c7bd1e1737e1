import Platform
import SeededRandom
import Testing

@testable import Listings

/// Pages made to cost time or memory, and pages with random damage: an error or a listing, never a crash.
struct HostilePageTests {
    @Test(arguments: [
        ("<b>", 200_000), ("<table><tr><td>", 20_000), ("<a ", 100_000), ("<!--", 100_000), ("</i>", 100_000),
    ]) func endlessNestingAndTagsAreRefused(text: String, count: Int) {
        #expect(throws: ListingError.tooLarge) { try Page(String(repeating: text, count: count)).parse() }
    }

    @Test func aTagWithManyAttributesIsRefused() {
        let attributes = (0..<5000).map { "a\($0)" }.joined(separator: " ")
        #expect(throws: ListingError.tooLarge) { try Page("<pre><a \(attributes) href=\"x\">x</a></pre>").parse() }
    }

    @Test func moreThanAMillionEntriesAreRefused() {
        var text: [UInt8] = []
        for number in 0...Listing.maximumCount { text += Array("<a href=\(number)>".utf8) }
        #expect(throws: ListingError.tooLarge) { try Page(text).parse() }
    }

    @Test func longScriptsAndTextsArePassedOver() throws {
        let script = "<script>" + String(repeating: "var x = '<a href=\"no\">';\n", count: 20_000) + "</script>"
        let text = String(repeating: "words and words ", count: 50_000)
        #expect(try Page(script + "<a href=\"x\">x</a>" + text + "<a href=\"y\">y</a>").names() == ["x", "y"])
    }

    @Test(arguments: 0..<8) func randomDamage(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        let charsets = ["utf-8", "iso-8859-1", "gbk", "shift_jis", nil]
        for server in ServerPageTests.servers {
            let original = try Page(named: server.page, type: server.type, charset: server.charset)
            for _ in 0..<25 {
                var page = original
                page.charset = charsets[Int.random(in: 0..<charsets.count, using: &random)]
                page.allowsExternalLinks = Bool.random(using: &random)
                page.body = Self.damaged(page.body, &random)
                Self.check(page)
            }
        }
    }

    @Test(arguments: 0..<4) func randomMarkup(seed: Int) {
        var random = SplitMix(seed: UInt64(1000 + seed))
        let parts = [
            "<a href=\"", "<a href=", "<A HREF='", "\">", "'>", ">", "</a>", "<", "&", "&#", "&#x", "&amp;", ";", "\"",
            "'", "=",
            "<pre>", "</pre>", "<table>", "<tr>", "<td>", "<br>", "<!--", "-->", "<base href=\"", "<meta charset=",
            "<title>",
            "<script>", "</script>", "<?", "<!", "]]>", "../", "./", "//", "/", "%2e", "%2F", "%00", "%", "?", "#", ":",
            "http:", "x",
            "é", "\u{F7E9}", "\0", "\n", " ", "02-Jan-2026 03:39 ", "1.2K", "17", "<input type=password>", "</",
            "<area href=",
        ].map { Array($0.utf8) }
        for _ in 0..<400 {
            var body: [UInt8] = []
            for _ in 0..<Int.random(in: 0...120, using: &random) {
                body += parts[Int.random(in: 0..<parts.count, using: &random)]
                if Int.random(in: 0..<20, using: &random) == 0 {
                    body.append(UInt8.random(in: 0...255, using: &random))
                }
            }
            Self.check(Page(body, charset: Bool.random(using: &random) ? "iso-8859-1" : nil))
        }
    }

    /// What holds of every listing, whatever the page was.
    private static func check(_ page: Page) {
        guard let listing = try? page.parse() else { return }
        for index in 0..<listing.count {
            let entry = listing[index]
            #expect(entry.name.isValid)
            #expect(listing.index(of: entry.name) == index)
            #expect(entry.reference.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            #expect(entry.reference.hasPrefix("/") || page.allowsExternalLinks && entry.reference.hasPrefix("http"))
            #expect(entry.kind != .directory || entry.reference.hasSuffix("/"))
        }
    }

    private static func damaged(_ body: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var body = body
        for _ in 0..<Int.random(in: 1...12, using: &random) where !body.isEmpty {
            let place = Int.random(in: 0..<body.count, using: &random)
            let end = min(body.count, place + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: body[place] = UInt8.random(in: 0...255, using: &random)
            case 1: body.removeSubrange(place..<end)
            case 2: body.insert(contentsOf: body[place..<end], at: Int.random(in: 0..<body.count, using: &random))
            case 3: body.insert(UInt8.random(in: 0...255, using: &random), at: place)
            default: if Int.random(in: 0..<10, using: &random) == 0 { body.removeSubrange(place...) }
            }
        }
        return body
    }
}
