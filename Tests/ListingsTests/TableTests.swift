import Platform
import Testing

@testable import Listings

/// Tables with a head that says which column holds sizes.
struct TableTests {
    private func size(head: String = "<th>Name</th><th>Size</th>", cells: String) throws -> ListingEntry.Size {
        try Page(
            "<table><tr>\(head)</tr><tr><td><a href=\"x\">x</a></td>\(cells)</tr></table>"
        ).parse().entry("x").size
    }

    @Test(arguments: [
        ("<td>1273</td>", ListingEntry.Size.exact(1273)), ("<td> <b>1,048,999</b> bytes</td>", .exact(1_048_999)),
        ("<td>1.2 KiB</td>", .approximate(1228)), ("<td>1,2 KB</td>", .approximate(1228)), ("<td>-</td>", .unknown),
        ("<td>1,273.5 KB</td>", .approximate(1_304_064)), ("<td></td>", .unknown), ("<td>12 files</td>", .unknown),
        ("<td>1,27</td>", .unknown), ("<td data-order=1273>1.2 KiB</td>", .exact(1273)),
        ("<td data-order=\"-1\">&mdash;</td>", .unknown), ("<td data-sort=7>5 MB</td>", .approximate(5 << 20)),
        ("<td data-size=1300000>1 MB</td>", .exact(1_300_000)), ("<td>7</td><td>2026-01-02 03:39 99</td>", .exact(7)),
        ("", .unknown),
    ]) func sizes(cells: String, size: ListingEntry.Size) throws {
        #expect(try self.size(cells: cells) == size)
    }

    @Test(arguments: [
        "<th>Name</th><th>Downloads</th>", "<th>Name</th><th>Size (KB)</th>", "<th>Name</th><th></th><th>Size</th>", "",
    ]) func numbersOfOtherColumnsAreNoSizes(head: String) throws {
        #expect(try size(head: head, cells: "<td>1273</td>") == .unknown)
    }

    @Test(arguments: ["SIZE", "<a href=\"?C=S\">Size</a> ↓", "<span>File size</span>", " bytes "])
    func headsInEveryWriting(head: String) throws {
        #expect(try size(head: "<th>n</th><th>\(head)</th>", cells: "<td>1273</td>") == .exact(1273))
    }

    @Test func aTableDoesNotSpeakForTheNext() throws {
        let listing = try Page(
            """
            <table><tr><th>Size</th><th>Name</th></tr><tr><td>5</td><td><a href="a">a</a></td></tr></table>
            <table><tr><td>6</td><td><a href="b">b</a></td></tr></table>
            """
        ).parse()
        #expect(try listing.entry("a").size == .exact(5))
        #expect(try listing.entry("b").size == .unknown)
    }

    @Test func theTimeElementCountsBeforeItsText() throws {
        let listing = try Page(
            "<table><tr><td><a href=\"x\">x</a><td><time datetime=\"2026-01-02T04:39:00+01:00\">01/02/2026 03:00</time></table>"
        ).parse()
        #expect(try listing.entry("x").modified == 1_767_325_140)
    }
}
