import LoopbackServer
import MountHarness
import Platform
import Testing

/// What a directory of the mount shows of a listing, and what that costs.
struct ListingTests {
    @Test func listingCostsOneRequest() async throws {
        let server = try LoopbackServer(listing: "a.txt", "b.txt", "d/")
        try await withMount(server) { mount async throws in
            #expect(try await mount.list() == ["a.txt", "b.txt", "d"])
            #expect(try await mount.list() == ["a.txt", "b.txt", "d"])
            #expect(server.log.map(\.target) == ["/"])
        }
    }

    /// Field case A07.
    @Test func onlyDirectChildrenAreEntries() async throws {
        let server = try LoopbackServer()
        server.directory(
            "/pub/d1/", ["/pub/", "/pub/d1/a.txt", "/pub/d1/sub/", "/other/x.txt", "/pub/d10/y.txt", "/pub/d1"])
        server.directory("/pub/d1/sub/", ["/pub/d1/", "/pub/d1/sub/b.txt"])
        server.text("/pub/d1/a.txt", "A\n")
        server.text("/pub/d1/sub/b.txt", "B\n")
        defer { server.stop() }
        try await withMount(["\(server.url)/pub/d1/"]) { mount async throws in
            let found = try await mount.sh(#"cd "$M" && find . | sort"#)
            #expect(found.lines == [".", "./a.txt", "./sub", "./sub/b.txt"])
            #expect(try await mount.text(of: #"cat "$M/a.txt" "$M/sub/b.txt""#) == "A\nB\n")
        }
    }

    /// Field case A08.
    @Test func otherOriginsAreNeitherShownNorAsked() async throws {
        let server = try LoopbackServer()
        let other = try LoopbackServer()
        server.directory(
            "/",
            [
                "HTTP://127.0.0.1:\(server.port)/a.txt", "\(other.url)/evil.iso", "//127.0.0.1:\(other.port)/evil2.iso",
                "ftp://127.0.0.1/x",
            ])
        server.text("/a.txt", "mine\n")
        try await withMount(server) { mount async throws in
            #expect(try await mount.list() == ["a.txt"])
            #expect(try await mount.text("a.txt") == "mine\n")
            #expect(try await mount.cat("evil.iso").fails(with: "No such file or directory"))
        }
        #expect(other.log.isEmpty)
        #expect(other.connectionsOpened == 0)
    }

    /// Field case A11.
    @Test func sortAndParentLinksAreNotEntries() async throws {
        let server = try LoopbackServer()
        server.directory(
            "/pub/",
            [
                "?C=N;O=D", "?C=M&amp;O=A", "?ND", "/", "../", "..", "./", ".", "", "/pub/?C=S;O=A", "/pub/", "ok.txt",
            ])
        server.text("/pub/ok.txt", "ok\n")
        defer { server.stop() }
        try await withMount(["\(server.url)/pub/"]) { mount async throws in
            #expect(try await mount.sh(#"find "$M" | wc -l"#, limit: .seconds(20)).text == "2\n")
        }
        #expect(!server.log.contains { $0.target.contains("?") })
    }

    /// Field case A13.
    @Test func looseHTMLIsUnderstood() async throws {
        let server = try LoopbackServer()
        server.on(
            "/",
            .html(
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

                """))
        try await withMount(server) { mount async throws in
            #expect(try await mount.list() == ["b.txt", "c.txt", "d.txt", "e.txt"])
        }
    }

    /// Field case A15.
    @Test func typeIsAskedForWhenTheListingDoesNotTellIt() async throws {
        let server = try LoopbackServer()
        server.on(
            "/",
            .html(
                """
                <pre><a href="../">../</a>
                <a href="dists">dists</a>          01-Jan-1970 00:00       0
                <a href="README">README</a>         01-Jan-1970 00:00       0
                </pre>

                """))
        server.on("/dists", Answer(status: 301, headers: [("Location", "/dists/")]))
        server.directory("/dists/", ["a.txt"])
        server.text("/README", "readme\n")
        server.text("/dists/a.txt", "a\n")
        try await withMount(server) { mount async throws in
            #expect(try await mount.sh(#"ls -1U "$M""#).lines.sorted() == ["README", "dists"])
            #expect(server.log.map(\.target) == ["/"])
            #expect(try await mount.stat("dists", "%F") == "directory")
            #expect(try await mount.stat("README", "%F %s") == "regular file 7")
            #expect(try await mount.text(of: #"cat "$M/README" "$M/dists/a.txt""#) == "readme\na\n")
            #expect(server.requests("/dists").count <= 1)
        }
    }

    /// Field case A19.
    @Test func roundedSizesAreNeverShown() async throws {
        let server = try LoopbackServer()
        server.on(
            "/",
            .html(
                """
                <pre><a href="r.bin">r.bin</a>      2026-01-02 03:39  1.2K
                <a href="m.bin">m.bin</a>      2026-01-02 03:39  1.0M
                <a href="d/">d/</a>         2026-01-02 03:39    -
                </pre>

                """))
        server.on("/d/", .html("<pre></pre>\n"))
        server.pattern("/r.bin", 1273)
        server.pattern("/m.bin", 1_048_999)
        try await withMount(server) { mount async throws in
            #expect(try await mount.sh(#"stat -c %s "$M/r.bin" "$M/m.bin""#).lines == ["1273", "1048999"])
            #expect(mismatch(try await mount.bytes("r.bin"), pattern(0..<1273)) == nil)
            #expect(mismatch(try await mount.bytes("m.bin"), pattern(0..<1_048_999)) == nil)
            #expect(try await mount.list("d") == [])
        }
    }

    /// Field case A21.
    @Test func datesOfTheCommonServersAreRead() async throws {
        let server = try LoopbackServer()
        server.on(
            "/",
            .html(
                """
                <pre><a href="n.txt">n.txt</a>     02-Jan-2026 03:39                   2
                <a href="a.txt">a.txt</a>     2026-01-02 03:39    2
                <a href="l.txt">l.txt</a>     2026-Jan-02 03:39:00   2
                <a href="t.txt">t.txt</a>     Fri, 02 Jan 2026 03:39:00 GMT   2
                <a href="x.txt">x.txt</a>     31-Foo-2026 99:99                   2
                </pre>

                """))
        for name in ["n", "a", "l", "t", "x"] {
            server.on("/\(name).txt", FileResource(.text("x\n"), lastModified: nil).responder)
        }
        try await withMount(server) { mount async throws in
            let dates = try await mount.sh(#"stat -c %Y "$M"/{n,a,l,t}.txt"#)
            #expect(dates.lines == [String](repeating: "1767325140", count: 4))
            #expect(try await mount.text("x.txt") == "x\n")
        }
    }

    @Test func exactSizesAndDatesOfTheListingCostNoRequest() async throws {
        let server = try LoopbackServer()
        server.on("/", HTMLListing(style: .nginx, [.file("f.bin", size: 123_456), .file("g.bin", size: 0)]).responder)
        try await withMount(server) { mount async throws in
            #expect(try await mount.text(of: #"stat -c '%s %Y' "$M/f.bin""#) == "123456 1783332000\n")
            #expect(try await mount.sh(#"ls -l "$M""#).succeeded)
            #expect(!server.log.contains { $0.target == "/f.bin" })
        }
    }

    /// Field case A22.
    @Test func hundredThousandEntriesAreListedWithOneRequest() async throws {
        let server = try LoopbackServer()
        var page = ""
        for number in 0..<100_000 {
            let name = "f" + String(1_000_000 + number).dropFirst() + ".dat"
            page += "<a href=\"\(name)\">\(name)</a>   02-Jan-2026 03:39                  10\n"
        }
        server.on("/", .html(page))
        server.pattern("/f099999.dat", 10)
        try await withMount(server) { mount async throws in
            let listed = try await mount.sh(
                #"ls -1U "$M" | sort -u | wc -l; ls -1U "$M" | wc -l"#, limit: .seconds(120))
            #expect(listed.lines == ["100000", "100000"])
            #expect(server.requests("/", method: "GET").count == 1)
            #expect(server.log.count == 1)
            #expect(try await mount.cat("f099999.dat").output == pattern(0..<10))
        }
    }

    /// Field case A28.
    @Test func errorPagesAreNoListings() async throws {
        let server = try LoopbackServer(listing: "gone/", "priv/", "sick/", "ok.txt")
        func page(_ status: Int, _ text: String) -> Answer {
            Answer(status: status, headers: [("Content-Type", "text/html")], body: .text(text))
        }
        server.on("/gone/", page(404, "<h1>404</h1><a href=\"home.html\">home</a>"))
        server.on("/priv/", page(403, "<a href=\"login.html\">login</a>"))
        server.on("/sick/", page(500, "<a href=\"status.html\">status</a>"))
        server.text("/ok.txt", "ok\n")
        try await withMount(server, options: "timeout=3") { mount async throws in
            let gone = try await mount.sh(#"ls "$M/gone""#)
            #expect(gone.status == 2 && gone.errors.contains("No such file or directory"))
            #expect(try await mount.sh(#"ls "$M/priv""#).fails(with: "Permission denied"))
            #expect(try await mount.sh(#"ls "$M/sick""#).fails(with: "Input/output error"))
            #expect(try await mount.text("ok.txt") == "ok\n")
        }
    }

    /// Field case C17.
    @Test func namesNotInTheListingCostNoRequest() async throws {
        let server = try LoopbackServer(listing: "d/", "a.txt")
        server.directory("/d/", ["b.txt"])
        try await withMount(server) { mount async throws in
            let probed = try await mount.sh(
                #"""
                for dir in "$M" "$M/d"; do
                  for n in .hidden .Trash-1000 autorun.inf desktop.ini .git .git/HEAD .DS_Store ._a.txt folder.jpg \
                      lost+found .directory a.txt.md5 libc.so.6; do
                    stat "$dir/$n" 2>&1 | grep -q 'No such file' || echo "$n"
                  done
                done
                """#)
            #expect(probed.text == "")
            #expect(server.log.filter { $0.target != "/" && $0.target != "/d/" }.isEmpty)
            #expect(server.log.count <= 2)
        }
    }

    @Test func failedRefreshKeepsTheLastListing() async throws {
        let server = try LoopbackServer()
        let isSick = Switch(false)
        server.on("/") { _, _ in
            isSick.value ? Answer(status: 500) : .html("<a href=\"a.txt\">a.txt</a>\n<a href=\"b.txt\">b.txt</a>\n")
        }
        server.text("/a.txt", "a\n")
        try await withMount(server, options: "ttl=0.2,timeout=2") { mount async throws in
            #expect(try await mount.list() == ["a.txt", "b.txt"])
            isSick.value = true
            server.clearLog()
            // The listing is past its time, so the server is asked and fails.
            for _ in 0..<2 {
                try await Task.sleep(for: .milliseconds(300))
                #expect(try await mount.list() == ["a.txt", "b.txt"])
            }
            #expect(await eventually { !server.requests("/").isEmpty })
            #expect(try await mount.text("a.txt") == "a\n")
        }
    }

    @Test func changedListingIsSeenAfterItsTime() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        server.text("/a.txt", "a\n")
        try await withMount(server, options: "ttl=1") { mount async throws in
            // Field case C08: the name that was missing must not stay so.
            #expect(try await mount.cat("new.txt").fails(with: "No such file or directory"))
            server.directory("/", ["a.txt", "new.txt"])
            server.text("/new.txt", "new\n")
            try await Task.sleep(for: .seconds(2))
            #expect(try await mount.text("new.txt") == "new\n")
            #expect(try await mount.list() == ["a.txt", "new.txt"])
        }
    }

    @Test func directoryWithoutListingIsUsedByName() async throws {
        let server = try LoopbackServer(listing: "closed/")
        server.on("/closed/", Answer(status: 403))
        server.text("/closed/known.txt", "known\n")
        try await withMount(server) { mount async throws in
            #expect(try await mount.text("closed/known.txt") == "known\n")
            #expect(try await mount.cat("closed/missing.txt").fails(with: "No such file or directory"))
            server.clearLog()
            #expect(try await mount.cat("closed/missing.txt").fails(with: "No such file or directory"))
            #expect(server.requests("/closed/missing.txt").isEmpty)
        }
    }
}
