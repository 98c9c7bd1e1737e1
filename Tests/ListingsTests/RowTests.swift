import Platform
import Testing

@testable import Listings

/// Which text belongs to which link.
struct RowTests {
    @Test func aRowWithTwoEntriesTellsTheSizeOfNeither() throws {
        let listing = try Page(
            """
            <table><tr><td><a href="x.iso">x.iso</a></td><td><a href="x.sig">sig</a></td>
            <td>2026-01-02 03:39</td><td>77</td></tr>
            <tr><td><a href="y.iso">y.iso</a></td>
            <td>2026-01-02 03:39</td><td>78</td></tr></table>
            """
        ).parse()
        #expect(try listing.entry("x.iso").size == .unknown)
        #expect(try listing.entry("x.sig").size == .unknown)
        #expect(try listing.entry("y.iso").size == .exact(78))
    }

    @Test func columnsOfOneLineDoNotReachTheNext() throws {
        let listing = try Page(
            """
            <pre><a href="a">a</a>  02-Jan-2026 03:39  5
            <a href="b">b</a>
            02-Jan-2026 03:39  6
            <a href="c">c</a></pre>
            """
        ).parse()
        #expect(try listing.entry("a").size == .exact(5))
        #expect(try listing.entry("b").size == .unknown)
        #expect(try listing.entry("c").size == .unknown)
    }

    @Test func aDirectoryHasADateButNoSize() throws {
        let listing = try Page("<pre><a href=\"d/\">d/</a> 02-Jan-2026 03:39 4096\n</pre>").parse()
        #expect(try listing.entry("d").size == .unknown)
        #expect(try listing.entry("d").modified == 1_767_325_140)
    }

    @Test func widePaddingDoesNotHideTheColumns() throws {
        let blanks = String(repeating: " ", count: 5000)
        let listing = try Page("<pre><a href=\"a\">a</a>\(blanks)02-Jan-2026 03:39\(blanks)5\n</pre>").parse()
        #expect(try listing.entry("a").size == .exact(5))
    }

    @Test func oneRealSizeMakesZeroSizesTrustworthy() throws {
        let listing = try Page(
            """
            <pre><a href="a">a</a>  01-Jan-1970 00:00  0
            <a href="b">b</a>  01-Jan-1970 00:00  7
            </pre>
            """
        ).parse()
        #expect(try listing.entry("a").size == .exact(0))
        #expect(try listing.entry("a").kind == .file)
    }
}
