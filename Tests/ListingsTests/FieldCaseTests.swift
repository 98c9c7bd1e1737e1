import HTTP
import Platform
import Testing

@testable import Listings

/// Pages from bug reports of programs that read listings, each with the bytes it had.
struct FieldCaseTests {
    @Test func percentSignThatBelongsToTheName() throws {
        let listing = try Page(
            """
            <a href="10%2520green.txt">10%20green.txt</a>
            <a href="10%20green.txt">10 green.txt</a>

            """
        ).parse()
        #expect(listing.count == 2)
        #expect(try listing.entry("10%20green.txt").reference == "/10%2520green.txt")
        #expect(try listing.entry("10 green.txt").reference == "/10%20green.txt")
    }

    @Test func plusAndSemicolonAreLiteral() throws {
        let listing = try Page(
            """
            <a href="a+b;c.txt">a+b;c.txt</a>
            <a href="a%2Bd.txt">a+d.txt</a>

            """
        ).parse()
        #expect(listing.count == 2)
        #expect(try listing.entry("a+b;c.txt").reference == "/a+b;c.txt")
        #expect(try listing.entry("a+d.txt").reference == "/a%2Bd.txt")
    }

    @Test func characterReferencesFirstThenPercentEachOnce() throws {
        let listing = try Page(
            """
            <a href="R%26D%20&amp;%20ops.txt">R&amp;D &amp; ops.txt</a>
            <a href="it&#39;s.txt">it&#39;s.txt</a>
            <a href="a%26amp%3Bb.txt">a&amp;amp;b.txt</a>
            <a href="x&#x26;y.txt">x&#x26;y.txt</a>

            """
        ).parse()
        #expect(listing.count == 4)
        #expect(try listing.entry("R&D & ops.txt").reference == "/R%26D%20&%20ops.txt")
        #expect(try listing.entry("it's.txt").reference == "/it's.txt")
        #expect(try listing.entry("a&amp;b.txt").reference == "/a%26amp%3Bb.txt")
        #expect(try listing.entry("x&y.txt").reference == "/x&y.txt")
    }

    @Test func encodedHashAndQuestionMarkBelongToTheName() throws {
        let listing = try Page(
            """
            <a href="a%23b.txt">a#b.txt</a>
            <a href="what%3F.txt">what?.txt</a>
            <a href="#top">top</a>
            <a href="?sort=size">Size</a>
            <a href="what.txt">what.txt</a>

            """
        ).parse()
        #expect(listing.count == 3)
        #expect(try listing.entry("a#b.txt").reference == "/a%23b.txt")
        #expect(try listing.entry("what?.txt").reference == "/what%3F.txt")
        #expect(try listing.entry("what.txt").reference == "/what.txt")
    }

    @Test func absolutePathsCountOnlyAsDirectChildren() throws {
        let page = Page(
            """
            <a href="/pub/">Parent Directory</a>
            <a href="/pub/d1/a.txt">a.txt</a>
            <a href="/pub/d1/sub/">sub</a>
            <a href="/other/x.txt">x.txt</a>
            <a href="/pub/d10/y.txt">y.txt</a>
            <a href="/pub/d1">self</a>

            """, url: "http://127.0.0.1:8080/pub/d1/")
        #expect(try page.names() == ["a.txt", "sub"])
        #expect(try page.parse().entry("sub").kind == .directory)
        #expect(try page.parse().entry("sub").reference == "/pub/d1/sub/")
    }

    @Test func wholeURLsCountOnlyOnTheSameOrigin() throws {
        var page = Page(
            """
            <a href="HTTP://127.0.0.1:8080/a.txt">a.txt</a>
            <a href="http://127.0.0.1:8081/evil.iso">evil.iso</a>
            <a href="//127.0.0.1:8081/evil2.iso">evil2.iso</a>
            <a href="ftp://127.0.0.1/x">x</a>

            """)
        #expect(try page.names() == ["a.txt"])
        #expect(try page.parse()[0].reference == "/a.txt")
        page.allowsExternalLinks = true
        #expect(try page.names() == ["a.txt", "evil.iso", "evil2.iso"])
        #expect(try page.parse().entry("evil2.iso").reference == "http://127.0.0.1:8081/evil2.iso")
    }

    @Test func sameTargetLinkedSeveralTimes() throws {
        let listing = try Page(
            """
            <p>Quick: <a href="big.iso">desktop image</a></p>
            <pre><a href="big.iso"><img src="/icons/iso.png" alt="[ISO]"></a> <a href="big.iso">big.iso</a>   2026-01-02 03:39   9
            <a href="small.txt"><img src="/icons/t.png" alt=""></a> <a href="small.txt">small.txt</a>   2026-01-02 03:39   6
            </pre>

            """
        ).parse()
        #expect(listing.count == 2)
        #expect(try listing.entry("big.iso").size == .exact(9))
        #expect(try listing.entry("big.iso").modified == 1_767_325_140)
        #expect(try listing.entry("small.txt").size == .exact(6))
    }

    @Test func nameComesFromTheLinkNotFromItsText() throws {
        let base = "report-of-the-year-2026-part-one-with-a-very-long-name-"
        let page = Page(
            """
            <pre><a href="\(base)01.pdf">report-of-the-year-2026-part-one-with-a-very-lo..&gt;</a> 02-Jan-2026 03:39   4
            <a href="\(base)02.pdf">report-of-the-year-2026-part-one-with-a-very-lo..&gt;</a> 02-Jan-2026 03:39   4
            </pre>

            """)
        #expect(try page.names() == [base + "01.pdf", base + "02.pdf"])
        #expect(try page.parse()[1].size == .exact(4))
    }

    @Test func sortLinksSelfAndParentAreNoEntries() throws {
        let page = Page(
            """
            <a href="?C=N;O=D">Name</a> <a href="?C=M&amp;O=A">Last modified</a> <a href='?ND'>N</a>
            <a href="/">Parent Directory</a>
            <a href="../">../</a>
            <a href="..">up</a>
            <a href="./">.</a>
            <a href=".">here</a>
            <a href="">none</a>
            <a href="/pub/?C=S;O=A">Size</a>
            <a href="/pub/">self</a>
            <a href="ok.txt">ok.txt</a>

            """, url: "http://127.0.0.1:8080/pub/")
        #expect(try page.names() == ["ok.txt"])
    }

    @Test func decorationsOfLinksToLinks() throws {
        let page = Page(
            """
            <ul>
            <li><a href="latest.txt">latest.txt@</a></li>
            <li><a href="./cur/">cur</a> <span class="arrow">&rarr;</span> <span>releases/2026-07</span></li>
            </ul>

            """)
        #expect(try page.names() == ["latest.txt", "cur"])
        #expect(try page.parse().entry("cur").kind == .directory)
    }

    @Test func markupInEveryWriting() throws {
        let page = Page(
            """
            <A HREF='b.txt'>b</A>
            <a
               class="x"
               href=c.txt
            >c</a>
            <a href = "d.txt" >d</a>
            <a title='href="no.txt"' href="e.txt">e</a>
            <a href='./.'>self</a>
            <a name="anchor">no link</a>

            """)
        #expect(try page.names() == ["b.txt", "c.txt", "d.txt", "e.txt"])
    }

    @Test func zeroSizesAndEpochDatesAreNotTrusted() throws {
        let listing = try Page(
            """
            <pre><a href="../">../</a>
            <a href="dists">dists</a>          01-Jan-1970 00:00       0
            <a href="README">README</a>         01-Jan-1970 00:00       0
            </pre>

            """
        ).parse()
        #expect(listing.count == 2)
        for index in 0..<2 {
            #expect(listing[index].kind == .unknown)
            #expect(listing[index].size == .unknown)
            #expect(listing[index].modified == nil)
        }
    }

    @Test func styledPageWithMarkupInScriptStyleAndComment() throws {
        let page = Page(
            """
            <!DOCTYPE html><html><head><title>ACME archive</title>
            <style>table { border:0 } a[href="ghost.txt"]{color:red}</style>
            <script>var t = '<a href="ghost2.txt">x</a>';</script></head>
            <body><!-- <a href="ghost3.txt">old</a> -->
            <div class="grid"><a class="card" href="2026001.jpg"><b>Frame</b></a></div></body></html>

            """)
        #expect(try page.names() == ["2026001.jpg"])
    }

    @Test func columnsBeforeTheLinkInLocalisedWords() throws {
        let text = """
            <html><head><title>127.0.0.1 - /pub/</title></head><body><H1>127.0.0.1 - /pub/</H1><hr>

            <pre><A HREF="/">[To Parent Directory]</A><br><br> 1/2/2026  3:04 PM        &lt;dir&gt; \
            <A HREF="/pub/old%20data/">old data</A><br>28.10.2025    15:04         1234 \
            <A HREF="/pub/a%20b.zip">a b.zip</A><br>2026-01-03 오후 3:04         5678 \
            <A HREF="/pub/c.zip">c.zip</A><br>Friday, January 2, 2026  2:57 AM            9 \
            <A HREF="/pub/d.txt">d.txt</A><br></pre><hr></body></html>

            """
        #expect(text.utf8.count == 468)
        let page = Page(text, url: "http://127.0.0.1:8080/pub/")
        #expect(try page.names() == ["old data", "a b.zip", "c.zip", "d.txt"])
        let listing = try page.parse()
        #expect(try listing.entry("old data").kind == .directory)
        #expect(try listing.entry("a b.zip").size == .exact(1234))
        #expect(try listing.entry("c.zip").size == .exact(5678))
        #expect(try listing.entry("d.txt").size == .exact(9))
        for index in 0..<3 { #expect(listing[index].modified == nil) }
        #expect(listing[3].modified == 1_767_322_620)
        let empty = Page(
            "<pre><A HREF=\"/pub/\">[To Parent Directory]</A><br><br></pre>\n", url: "http://127.0.0.1/pub/old%20data/")
        #expect(try empty.names() == [])
    }

    @Test func roundedSizesAreHints() throws {
        let listing = try Page(
            """
            <pre><a href="r.bin">r.bin</a>      2026-01-02 03:39  1.2K
            <a href="m.bin">m.bin</a>      2026-01-02 03:39  1.0M
            <a href="d/">d/</a>         2026-01-02 03:39    -
            </pre>

            """
        ).parse()
        #expect(try listing.entry("r.bin").size == .approximate(1228))
        #expect(try listing.entry("m.bin").size == .approximate(1_048_576))
        #expect(try listing.entry("d").size == .unknown)
        #expect(try Page("<pre></pre>\n").parse().count == 0)
    }

    @Test func datesOfFourServers() throws {
        let listing = try Page(
            """
            <pre><a href="n.txt">n.txt</a>     02-Jan-2026 03:39                   2
            <a href="a.txt">a.txt</a>     2026-01-02 03:39    2
            <a href="l.txt">l.txt</a>     2026-Jan-02 03:39:00   2
            <a href="t.txt">t.txt</a>     Fri, 02 Jan 2026 03:39:00 GMT   2
            <a href="x.txt">x.txt</a>     31-Foo-2026 99:99                   2
            </pre>

            """
        ).parse()
        #expect(listing.count == 5)
        for name: FileName in ["n.txt", "a.txt", "l.txt", "t.txt"] {
            #expect(try listing.entry(name).modified == 1_767_325_140)
            #expect(try listing.entry(name).size == .exact(2))
        }
        #expect(try listing.entry("x.txt").modified == nil)
        #expect(try listing.entry("x.txt").size == .exact(2))
    }

    @Test func hostileNames() throws {
        let page = Page(
            """
            <a href="..%2f..%2fevil.txt">1</a>
            <a href="%2e%2e/evil2/">2</a>
            <a href="a%2Fb.txt">3</a>
            <a href="nul%00.txt">4</a>
            <a href="%2e">5</a>
            <a href="%2e%2e">6</a>
            <a href="new%0Aline.txt">7</a>
            <a href="back%5Cslash.txt">8</a>
            <a href="good.txt">9</a>

            """)
        #expect(try page.names() == ["new\nline.txt", "back\\slash.txt", "good.txt"])
        #expect(try page.parse().skipped == 5)
        #expect(try page.parse()[0].reference == "/new%0Aline.txt")
    }

    @Test func otherSchemesAndOtherElements() throws {
        let page = Page(
            """
            <link rel="stylesheet" href="style.css">
            <img src="logo.png">
            <form action="search.cgi"></form>
            <a href="javascript:void(0)">menu</a>
            <a href="mailto:admin@example.test">mail</a>
            <a href="data:text/plain,hi">data</a>
            <a href="tel:123">tel</a>
            <a href="real.txt">real</a>

            """)
        #expect(try page.names() == ["real.txt"])
    }

    @Test func latin1PageRequestsTheByteAsServed() throws {
        let body =
            Array("<a href=\"caf".utf8) + [0xE9] + Array(".txt\">caf".utf8) + [0xE9]
            + Array("</a>\n<a href=\"th%E9.txt\">th".utf8) + [0xE9] + Array("</a>\n".utf8)
        #expect(body.count == 56)
        let listing = try Page(body, charset: "iso-8859-1").parse()
        #expect(listing.count == 2)
        #expect(try listing.entry("café.txt").reference == "/caf%E9.txt")
        #expect(try listing.entry("thé.txt").reference == "/th%E9.txt")
    }

    @Test func errorPagesAreNoListings() throws {
        let url = "http://127.0.0.1:8080/gone/"
        #expect(throws: ListingError.notAListing("an error page: 404")) {
            try Page("<h1>404</h1><a href=\"home.html\">home</a>\n", url: url).parse()
        }
    }

    @Test func linksWithAQueryAreNoEntries() throws {
        let page = Page(
            """
            <a href="?dir=music">music</a>
            <a href="index.php?path=pics/">pics</a>
            <a href="index.php?path=pics/&amp;sort=a">sort</a>
            <a href="files/direct.txt">deep</a>
            <a href="direct.txt">direct.txt</a>

            """)
        #expect(try page.names() == ["direct.txt"])
    }

    @Test func aHundredThousandEntries() throws {
        var text = ""
        for number in 0..<100_000 {
            let name = "f" + String(1_000_000 + number).dropFirst() + ".dat"
            text += "<a href=\"\(name)\">\(name)</a>   02-Jan-2026 03:39                  10\n"
        }
        let listing = try Page(text).parse()
        #expect(listing.count == 100_000)
        #expect(listing.bytesUsed < 16 << 20)
        for number in [0, 1, 50_000, 99_999] {
            let name = FileName("f" + String(1_000_000 + number).dropFirst() + ".dat")
            #expect(listing.index(of: name) == number)
            #expect(listing[number].size == .exact(10))
            #expect(listing[number].reference == "/" + name.description)
        }
    }
}
