import LoopbackServer
import MountHarness
import Testing

/// What programs see of files and directories by `stat`, and what they can do with them because of it.
struct AttributeTests {
    /// Field case C01.
    @Test func findDescendsAndTypesAgree() async throws {
        let server = try LoopbackServer(listing: "d/", "f.txt")
        server.directory("/d/", ["e/"])
        server.directory("/d/e/", ["g/", "deep.txt"])
        server.directory("/d/e/g/", ["deeper.txt"])
        for target in ["/f.txt", "/d/e/deep.txt", "/d/e/g/deeper.txt"] { server.text(target, "x\n") }
        try await withMount(server) { mount async throws in
            #expect(try await mount.text(of: #"find "$M" -type f | wc -l"#) == "3\n")
            #expect(try await mount.text(of: #"find "$M" -noleaf -type f | wc -l"#) == "3\n")
            #expect(try await mount.text(of: #"find "$M" -type d | wc -l"#) == "4\n")
            #expect(try await mount.stat("f.txt", "%h") == "1")
            let links = try await mount.sh(#"stat -c %h "$M" "$M/d" "$M/d/e""#)
            #expect(links.lines == ["1", "1", "1"] || links.lines == ["3", "3", "3"])
            let types = try await mount.python(
                """
                import os, stat, sys
                for r, ds, fs in os.walk(sys.argv[1]):
                    for e in os.scandir(r):
                        assert e.is_dir(follow_symlinks=False) == stat.S_ISDIR(os.lstat(e.path).st_mode), e.path
                        assert e.inode() == os.lstat(e.path).st_ino, e.path
                print("ok")
                """)
            #expect(types.text == "ok\n", "\(types)")
        }
    }

    /// Field case C02.
    @Test func blocksAndHolesAreThoseOfAFullFile() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.pattern("/f.bin", 1_000_001)
        try await withMount(server) { mount async throws in
            #expect(try await mount.stat("f.bin", "%b") == "1954")
            let used = try await mount.sh(#"du -B1 "$M/f.bin" | cut -f1"#)
            #expect(Int(used.lines.first ?? "") ?? 0 >= 1_000_001)
            let whole = pattern(0..<1_000_001)
            let archived = try await mount.sh(#"tar -cSf - -C "$M" f.bin | tar -xOf -"#)
            #expect(mismatch(archived.output, whole) == nil)
            let copied = try await mount.sh(#"cp --sparse=auto "$M/f.bin" "$T/c" && cat "$T/c""#)
            #expect(mismatch(copied.output, whole) == nil)
            let holes = try await mount.python(
                """
                import os, sys
                fd = os.open(sys.argv[1] + "/f.bin", os.O_RDONLY)
                print(os.lseek(fd, 5, os.SEEK_DATA), os.lseek(fd, 5, os.SEEK_HOLE))
                """)
            #expect(holes.text == "5 1000001\n", "\(holes)")
        }
    }

    /// Field case C04.
    @Test func filesCanBeMapped() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.pattern("/f.bin", 1_000_001)
        try await withMount(server) { mount async throws in
            let mapped = try await mount.python(
                """
                import mmap, os, sys
                fd = os.open(sys.argv[1] + "/f.bin", os.O_RDONLY)
                want = bytes(i % 251 for i in range(1000001))
                for fl in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
                    m = mmap.mmap(fd, 1000001, flags=fl, prot=mmap.PROT_READ)
                    assert m[999990:1000001] == want[999990:] and m[:] == want
                    m.close()
                print("ok")
                """)
            #expect(mapped.text == "ok\n", "\(mapped)")
        }
    }

    /// Field case C06.
    @Test func endOfFileIsExact() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.pattern("/f.bin", 131_072)
        try await withMount(server) { mount async throws in
            #expect(try await mount.cat("f.bin").output.count == 131_072)
            #expect(try await mount.sh(#"tail -c 3 "$M/f.bin""#).output == pattern(131_069..<131_072))
            #expect(try await mount.text(of: #"tail -c +131072 "$M/f.bin" | wc -c"#) == "1\n")
            let reads = try await mount.python(
                """
                import os, sys
                fd = os.open(sys.argv[1] + "/f.bin", os.O_RDONLY)
                print(os.lseek(fd, 0, 2), len(os.pread(fd, 10, 131072)), len(os.pread(fd, 10, 9 << 40)),
                      len(os.pread(fd, 100, 131070)))
                """)
            #expect(reads.text == "131072 0 0 2\n", "\(reads)")
        }
        #expect(!server.log.contains { $0.status == 416 })
    }

    @Test func sendfileAndRsyncCopyWholeFiles() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.pattern("/f.bin", 3_000_017)
        try await withMount(server) { mount async throws in
            let sent = try await mount.python(
                """
                import os, sys
                fd = os.open(sys.argv[1] + "/f.bin", os.O_RDONLY)
                out = os.open("sent", os.O_WRONLY | os.O_CREAT)
                done = 0
                while True:
                    n = os.sendfile(out, fd, done, 1 << 20)
                    if n == 0: break
                    done += n
                print(done)
                """)
            #expect(sent.text == "3000017\n", "\(sent)")
            #expect(mismatch(try await mount.run("cat", "sent").output, pattern(0..<3_000_017)) == nil)
        }
    }

    /// Field case B16.
    @Test func sizesAndOffsetsHave64Bits() async throws {
        let server = try LoopbackServer()
        server.on(
            "/", .html("<pre><a href=\"big.bin\">big.bin</a>    02-Jan-2026 03:39          5368709127\n</pre>\n"))
        server.pattern("/big.bin", 5_368_709_127)
        try await withMount(server) { mount async throws in
            #expect(try await mount.stat("big.bin", "%s") == "5368709127")
            #expect(
                try await mount.sh(#"tail -c 7 "$M/big.bin""#).output == pattern(5_368_709_120..<5_368_709_127))
            for (offset, count) in [(4_294_967_290, 16), (4_294_963_200, 8192)] as [(Int64, Int)] {
                let read = try await mount.read("big.bin", at: offset, count: count)
                #expect(mismatch(read.output, pattern(offset..<offset + Int64(count))) == nil, "\(read.errors)")
            }
        }
    }

    /// Field case B24.
    @Test func oddModificationTimesDoNoHarm() async throws {
        let dates = [
            "ok": "Mon, 06 Jul 2026 10:00:00 GMT", "bad": "yesterday-ish", "y1": "Mon, 01 Jan 0001 05:51:00 GMT",
            "epoch": "Thu, 01 Jan 1970 00:00:00 GMT", "rfc850": "Monday, 06-Jul-26 10:00:00 GMT", "miss": nil,
        ]
        let server = try LoopbackServer(listing: "ok", "miss", "bad", "y1", "epoch", "rfc850")
        for (name, date) in dates {
            server.on("/\(name)", FileResource(.text("x\n"), lastModified: date).responder)
        }
        try await withMount(server, options: "ttl=0.5") { mount async throws in
            #expect(try await mount.sh(#"stat -c %Y "$M/ok" "$M/rfc850""#).lines == ["1783332000", "1783332000"])
            let others = try await mount.sh(#"stat -c %Y "$M"/{miss,bad,y1,epoch}"#).lines.compactMap { Int64($0) }
            #expect(others.count == 4 && others.allSatisfy { (0...4_294_967_295).contains($0) })
            let missing = try await mount.stat("miss", "%Y")
            try await Task.sleep(for: .seconds(1.2))
            #expect(try await mount.stat("miss", "%Y") == missing)
        }
    }

    @Test func inodeNumbersAreStable() async throws {
        let server = try LoopbackServer(listing: "a.txt", "d/")
        server.text("/a.txt", "a\n")
        server.directory("/d/", ["b.txt"])
        server.text("/d/b.txt", "b\n")
        var numbers: [String] = []
        for _ in 0..<2 {
            try await withMount(server, options: "ttl=0.2") { mount async throws in
                for _ in 0..<2 {
                    numbers.append(try await mount.sh(#"stat -c %i "$M/a.txt" "$M/d" "$M/d/b.txt""#).text)
                    try await Task.sleep(for: .milliseconds(300))
                }
            }
        }
        #expect(Set(numbers).count == 1 && numbers[0].split(separator: "\n").count == 3, "\(numbers)")
    }

    @Test func ownerAndModesAreThoseAskedFor() async throws {
        let server = try LoopbackServer(listing: "a.txt", "d/")
        server.text("/a.txt", "a\n")
        server.directory("/d/", [])
        try await withMount(server, options: "uid=12,gid=34,umask=027") { mount async throws in
            #expect(try await mount.stat("a.txt", "%u %g %a") == "12 34 440")
            #expect(try await mount.stat("d", "%u %g %a") == "12 34 550")
        }
    }

    @Test func freeSpaceNeedsNoServer() async throws {
        let server = try LoopbackServer(listing: "a.txt")
        try await withMount(server, options: "timeout=20") { mount async throws in
            server.stop()
            server.clearLog()
            let answered = try await mount.sh(#"stat -f "$M" && df "$M" && stat "$M""#, limit: .seconds(15))
            #expect(answered.succeeded, "\(answered)")
            #expect(server.log.isEmpty)
        }
    }
}
