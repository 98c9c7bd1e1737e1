import LoopbackServer
import MountHarness
import Testing

/// Names of links become names of files, and go back to the server as the links they were.
struct NameTests {
    /// Field case A01.
    @Test func percentSignOfANameIsDecodedOnce() async throws {
        let server = try LoopbackServer(listing: "10%2520green.txt", "10%20green.txt")
        server.text("/10%2520green.txt", "literal\n")
        server.text("/10%20green.txt", "space\n")
        try await withMount(server) { mount async throws in
            #expect(try await mount.list() == ["10 green.txt", "10%20green.txt"])
            #expect(try await mount.text("10%20green.txt") == "literal\n")
            #expect(try await mount.text("10 green.txt") == "space\n")
        }
        #expect(!server.log.contains { $0.target.contains("%252520") })
    }

    /// Field case A03.
    @Test func plusAndSemicolonAreLiteral() async throws {
        let server = try LoopbackServer(listing: "a+b;c.txt", "a%2Bd.txt")
        for target in ["/a+b;c.txt", "/a%2Bb;c.txt", "/a%2Bb%3Bc.txt"] { server.text(target, "plus\n") }
        for target in ["/a%2Bd.txt", "/a+d.txt"] { server.text(target, "esc\n") }
        try await withMount(server) { mount async throws in
            #expect(try await mount.list() == ["a+b;c.txt", "a+d.txt"])
            #expect(try await mount.text(of: #"cat "$M/a+b;c.txt" "$M/a+d.txt""#) == "plus\nesc\n")
        }
        #expect(!server.log.contains { $0.target.contains("a%20") })
    }

    /// Field case A04.
    @Test func characterReferencesAreDecodedBeforePercent() async throws {
        let server = try LoopbackServer()
        server.on(
            "/",
            .html(
                """
                <a href="R%26D%20&amp;%20ops.txt">R&amp;D &amp; ops.txt</a>
                <a href="it&#39;s.txt">it&#39;s.txt</a>
                <a href="a%26amp%3Bb.txt">a&amp;amp;b.txt</a>
                <a href="x&#x26;y.txt">x&#x26;y.txt</a>

                """))
        for target in ["/R%26D%20%26%20ops.txt", "/R%26D%20&%20ops.txt"] { server.text(target, "1\n") }
        for target in ["/it%27s.txt", "/it's.txt"] { server.text(target, "2\n") }
        for target in ["/a%26amp%3Bb.txt", "/a&amp;b.txt"] { server.text(target, "3\n") }
        for target in ["/x%26y.txt", "/x&y.txt"] { server.text(target, "4\n") }
        try await withMount(server) { mount async throws in
            let read = try await mount.sh(#"cat "$M/R&D & ops.txt" "$M/it's.txt" "$M/a&amp;b.txt" "$M/x&y.txt""#)
            #expect(read.text == "1\n2\n3\n4\n")
            #expect(try await mount.list().count == 4)
        }
    }

    /// Field case A05.
    @Test func encodedHashAndQuestionMarkAreOfTheName() async throws {
        let server = try LoopbackServer(listing: "a%23b.txt", "what%3F.txt", "#top", "?sort=size", "what.txt")
        server.text("/a%23b.txt", "hash\n")
        server.text("/what%3F.txt", "quest\n")
        server.text("/what.txt", "plain\n")
        try await withMount(server) { mount async throws in
            #expect(try await mount.list() == ["a#b.txt", "what.txt", "what?.txt"])
            let read = try await mount.sh(#"cat "$M/a#b.txt" "$M/what?.txt" "$M/what.txt""#)
            #expect(read.text == "hash\nquest\nplain\n")
        }
        #expect(server.requests("/a").isEmpty)
    }

    /// Field case A24.
    @Test func hostileNamesAreNeverShown() async throws {
        let server = try LoopbackServer(
            listing: "..%2f..%2fevil.txt", "%2e%2e/evil2/", "a%2Fb.txt", "nul%00.txt", "%2e", "%2e%2e",
            "new%0Aline.txt",
            "back%5Cslash.txt", "good.txt")
        server.text("/good.txt", "good\n")
        server.text("/back%5Cslash.txt", "bs\n")
        server.text("/new%0Aline.txt", "nl\n")
        try await withMount(server) { mount async throws in
            #expect(try await mount.text(of: #"cat "$M/good.txt" "$M/back\\slash.txt""#) == "good\nbs\n")
            let found = try await mount.sh(#"find "$M" -mindepth 1 -print0 | tr '\0' '\1'"#)
            #expect(found.succeeded)
            #expect(!found.text.contains("evil") && !found.text.contains("b.txt"))
            #expect(try await mount.text(of: #"cat "$M"/new*line.txt"#) == "nl\n")
        }
    }

    /// Field case A26.
    @Test func latin1NamesAreShownInUTF8AndAskedForAsServed() async throws {
        let server = try LoopbackServer()
        let page = Array("<a href=\"caf".utf8) + [0xE9] + Array(".txt\">caf</a>\n<a href=\"th%E9.txt\">th</a>\n".utf8)
        server.on("/", Answer(headers: [("Content-Type", "text/html; charset=iso-8859-1")], body: .bytes(page)))
        server.text("/caf%E9.txt", "one\n")
        server.text("/th%E9.txt", "two\n")
        try await withMount(server) { mount async throws in
            #expect(try await mount.list().count == 2)
            #expect(try await mount.text(of: #"for f in "$M"/*; do cat "$f"; done"#) == "one\ntwo\n")
        }
        #expect(!server.log.contains { $0.target.contains("%EF%BF%BD") })
    }

    @Test func chineseAndEmojiNamesWork() async throws {
        let server = try LoopbackServer(listing: "%E4%B8%AD%E6%96%87.txt", "%F0%9F%98%80.txt", "目录/")
        server.text("/%E4%B8%AD%E6%96%87.txt", "中文\n")
        server.text("/%F0%9F%98%80.txt", "smile\n")
        server.directory("/%E7%9B%AE%E5%BD%95/", ["a%20%22quoted%22.txt"])
        server.text("/%E7%9B%AE%E5%BD%95/a%20%22quoted%22.txt", "deep\n")
        try await withMount(server) { mount async throws in
            #expect(try await mount.list() == ["中文.txt", "目录", "😀.txt"])
            #expect(
                try await mount.text(of: #"cat "$M/中文.txt" "$M/😀.txt" "$M/目录/a \"quoted\".txt""#) == "中文\nsmile\ndeep\n"
            )
        }
    }

    @Test func tooLongNamesAreLeftOut() async throws {
        let longest = String(repeating: "x", count: 255)
        let server = try LoopbackServer(listing: longest, longest + "y", "short.txt")
        server.text("/\(longest)", "long\n")
        try await withMount(server) { mount async throws in
            #expect(try await mount.list() == ["short.txt", longest])
            #expect(try await mount.text(longest) == "long\n")
        }
    }
}
