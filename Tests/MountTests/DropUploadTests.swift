import LoopbackServer
import MountHarness
import Testing

/// What goes up, when, and how often.
struct DropUploadTests {
    @Test func fileThatIsDroppedGoesUpOnceAndLeavesAReceipt() async throws {
        try await withDrop { drop in
            try await drop.put("a.txt", "hello\n")
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["a.txt 6"])
            #expect(drop.uploads.first?.file?.text == "hello\n")
            #expect(drop.uploads.first?.file?.name == "file")
            #expect(drop.uploads.first?.key?.isEmpty == false)
            #expect(try await drop.list() == [])
            let receipt = try await drop.mount.python(
                """
                import json, sys
                r = json.load(open(sys.argv[1] + "/sent/a.txt.json"))
                assert r["size"] == 6 and r["status"] == 201, r
                assert r["sha256"] == sys.argv[2] and r["idempotencyKey"] == sys.argv[3], r
                assert '"ok":true' in r["answer"], r
                print("ok")
                """, drop.uploads.first?.file?.sha256 ?? "", drop.uploads.first?.key ?? "")
            #expect(receipt.text == "ok\n", "\(receipt)")
            #expect(try await drop.mount.stat("sent/a.txt.json", "%a") == "600")
        }
    }

    /// Field case D01.
    @Test func onlyTheLastNameGoesUp() async throws {
        try await withDrop { drop in
            let content = pattern(0..<300_000)
            try drop.scratch.file("a.bin", content)
            try await drop.must(#"rsync "$T/a.bin" "$M/""#)
            try await drop.must(#"cp "$T/a.bin" "$M/.b.bin.Ab12Cd""#)
            try await drop.letTimePass()
            try await drop.must(#"mv "$M/.b.bin.Ab12Cd" "$M/b.bin""#)
            #expect(await drop.arrive(2))
            try await drop.drain()
            #expect(drop.sizes == ["a.bin 300000", "b.bin 300000"])
            for upload in drop.uploads { #expect(mismatch(upload.file?.content ?? [], content) == nil) }
        }
    }

    /// Field case D03.
    @Test func lockSwapAndMetadataFilesNeverGoUp() async throws {
        let names = [
            ".~lock.x.odt#", "~$x.docx", ".goutputstream-1A2B3C", ".x.txt.swp", "x.txt~", "4913", ".DS_Store",
            "._x.txt",
            "Thumbs.db", "desktop.ini", ".fuse_hidden0001", ".nfs0001", ".#x.txt", "#x.txt#", ".hidden",
            ".z.bin.Ab12Cd",
            "film.part", "film.crdownload",
        ]
        try await withDrop { drop in
            for name in names {
                try await drop.put(name, "t\n")
                #expect(try await drop.mount.text(name) == "t\n")
            }
            try await drop.letTimePass()
            try await drop.letTimePass()
            #expect(drop.attempts.isEmpty)
            #expect(try await drop.list().sorted() == names.sorted())
            for name in names.prefix(8) {
                try await drop.must("mv \"$M/\(name.shellQuoted)\" \"$M/.moved\"; rm \"$M/.moved\"")
            }
            #expect(try await drop.list().count == names.count - 8)
            try await drop.must(#"echo final > "$M/.goutputstream-9"; mv "$M/.goutputstream-9" "$M/x.txt""#)
            #expect(await drop.arrive(1))
            try await drop.letTimePass()
            #expect(drop.sizes == ["x.txt 6"])
            try await drop.put("plain.tmp", "t\n")
            #expect(await drop.arrive(2))
            #expect(drop.sizes == ["plain.tmp 2", "x.txt 6"])
        }
    }

    /// Field case D04.
    @Test func emptyFileGoesUpAsAnEmptyPart() async throws {
        try await withDrop { drop in
            try await drop.must(#": > "$M/empty.txt""#)
            #expect(await drop.arrive(1))
            let upload = try #require(drop.uploads.first)
            #expect(upload.file?.fileName == "empty.txt" && upload.file?.size == 0)
            #expect(upload.contentLength == upload.bytesRead)
            #expect(upload.headerValues("transfer-encoding").isEmpty && upload.headerValues("expect").isEmpty)
        }
    }

    /// Field case D04, second part.
    @Test func contentThatFollowsSoonGoesAlone() async throws {
        try await withDrop("settle=3,retry=0.2") { drop in
            // On a machine that stands still between the two, the empty file would rightly go up.
            for number in 1...10 {
                let name = "late-\(number).txt"
                let written = try await drop.sh(
                    "s=$(date +%s%N); : > \"$M/\(name)\"; echo content > \"$M/\(name)\"; echo $(($(date +%s%N) - s))")
                #expect(await eventually(within: .seconds(60)) { drop.uploads.contains { $0.file?.size == 8 } })
                try await drop.drain()
                if let time = Int64(written.lines.first ?? ""), time < 2_500_000_000 {
                    #expect(drop.uploads.last?.file?.text == "content\n")
                    #expect(drop.uploads.filter { $0.file?.fileName == name }.count == 1)
                    return
                }
            }
            Issue.record("this machine is too slow for the test")
        }
    }

    /// Field case D05.
    @Test func fileOverwrittenWhileItIsSentGoesUpInItsLastVersion() async throws {
        try await withDrop { drop in
            let (first, second) = (pattern(0..<2_000_000), pattern(100..<2_000_100))
            // So slow that it cannot be complete before it is cancelled.
            drop.target.script([UploadBehaviour.accept.at(bytesPerSecond: 2000)])
            try await drop.put("f.bin", first)
            #expect(await eventually { drop.target.attempts.first?.bytesRead ?? 0 > 1000 })
            try await drop.put("f.bin", second)
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.attempts.count == 2)
            #expect(drop.attempts.first?.isKept == false)
            #expect(Set(drop.attempts.map(\.key)).count == 2)
            #expect(mismatch(drop.uploads.last?.file?.content ?? [], second) == nil)
        }
    }

    @Test func appendingToAFileThatIsSentSendsTheWholeFileAnew() async throws {
        try await withDrop { drop in
            drop.target.script([UploadBehaviour.accept.at(bytesPerSecond: 100)])
            try await drop.put("log.txt", String(repeating: "one\n", count: 1000))
            #expect(await eventually { drop.target.attempts.first?.bytesRead ?? 0 > 0 })
            try await drop.must(#"echo two >> "$M/log.txt""#)
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.uploads.map { $0.file?.text } == [String(repeating: "one\n", count: 1000) + "two\n"])
        }
    }

    /// Field case D07.
    @Test func slowWriterIsWaitedFor() async throws {
        try await withDrop { drop in
            let content = pattern(0..<200_000)
            try drop.scratch.file("s", content)
            let writer = try drop.mount.start(
                "bash", "-c",
                #"{ head -c 1000; touch "$T/begun"; until [ -e "$T/go" ]; do sleep 0.02; done; tail -c +1001 "$T/s"; } < "$T/s" > "$M/slow.bin""#
            )
            defer { writer.killGroup() }
            let path = drop.scratch.path
            #expect(await eventually { exists("\(path)/begun") })
            try await drop.letTimePass()
            try await drop.letTimePass()
            #expect(drop.attempts.isEmpty)
            try drop.scratch.file("go", "")
            #expect(await writer.wait(within: .seconds(60)) == .status(0))
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["slow.bin 200000"])
            #expect(mismatch(drop.uploads.first?.file?.content ?? [], content) == nil)
        }
    }

    /// Field case D08.
    @Test func appendingAfterTheUploadStartsANewFile() async throws {
        try await withDrop { drop in
            try await drop.put("log.txt", "one\n")
            #expect(await drop.arrive(1))
            try await drop.drain()
            try await drop.must(#"[ ! -e "$M/log.txt" ] && echo two >> "$M/log.txt""#)
            #expect(await drop.arrive(2))
            try await drop.drain()
            #expect(drop.uploads.map { $0.file?.text } == ["one\n", "two\n"])
            #expect(try await drop.mount.list("sent") == ["log.txt (2).json", "log.txt.json"])
        }
    }

    /// Field case D09.
    @Test func largeFileIsStreamedWithItsLength() async throws {
        try await withDrop(target: UploadTarget(keeping: 0, digests: false)) { drop in
            let size: Int64 = (2 << 30) + 12_345
            try await drop.must(
                "truncate -s \(size) big && cp --sparse=always big \"$M/big.bin\"", limit: .seconds(300))
            #expect(await drop.arrive(1, within: .seconds(600)))
            #expect(drop.attempts.map(\.status) == [201])
            #expect(drop.uploads.first?.file?.size == size)
            #expect(drop.uploads.first?.contentLength == drop.uploads.first?.bytesRead)
            let peak = try await drop.mount.run("awk", "/VmHWM/{print $2}", "/proc/\(drop.mount.process.pid)/status")
            #expect(Int(peak.lines.first ?? "") ?? .max < 200_000, "\(peak)")
        }
    }

    /// Field case D10.
    @Test(arguments: [
        "", "HTTP/1.1 100 Continue\r\nX-Info: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n",
    ])
    func interimAnswersAreSkippedAndNoneIsWaitedFor(interim: String) async throws {
        try await withDrop { drop in
            drop.target.behave { attempt in
                attempt.headerValues("expect").isEmpty ? UploadBehaviour.accept.interim(interim) : .refuse(417)
            }
            try await drop.put("e.bin", pattern(0..<100_000))
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.attempts.map(\.status) == [201])
            #expect(drop.sizes == ["e.bin 100000"])
        }
    }

    /// Field case D18.
    @Test func everyTryBeginsAtTheFirstByte() async throws {
        try await withDrop { drop in
            drop.target.script([
                .reset(afterBody: 100_000), .refuse(503, headers: [("Retry-After", "1")]), .accept,
            ])
            try await drop.put("r.bin", pattern(0..<1_000_000))
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.target.attempts.map(\.status) == [nil, 503, 201])
            #expect(Set(drop.target.attempts.map(\.contentLength)).count == 1)
            #expect(Set(drop.target.attempts.map(\.key)).count == 1)
            #expect(mismatch(drop.uploads.first?.file?.content ?? [], pattern(0..<1_000_000)) == nil)
        }
    }

    /// Field case D20.
    @Test(arguments: [3, 1])
    func burstOf300FilesGoesUpFewAtATimeAndEachOnce(parallel: Int) async throws {
        try await withDrop(DropScene.quick + (parallel == 3 ? "" : ",uploads=\(parallel)")) { drop in
            drop.target.behave(UploadBehaviour.accept.after(.milliseconds(parallel == 3 ? 100 : 5)))
            try await drop.must(
                #"mkdir b; for i in $(seq -w 300); do echo "content $i" > b/n$i.txt; done; cp b/* "$M/""#,
                limit: .seconds(180))
            #expect(await drop.arrive(300, within: .seconds(300)))
            try await drop.drain()
            #expect(drop.attempts.count == 300)
            #expect(Set(drop.names).count == 300)
            #expect(
                drop.uploads.allSatisfy { upload in
                    upload.file.map { $0.text == "content \($0.fileName?.dropFirst().prefix(3) ?? "")\n" } ?? false
                })
            #expect(drop.target.maximumOpen <= parallel)
            #expect(try await drop.mount.list("sent").count == 300)
        }
    }

    @Test func foldersAreDraggedInWithAllThatIsInThem() async throws {
        try await withDrop(sources: { server, _ in ["--drop-path-field", "path", "drop+\(server.url)/upload"] }) {
            drop in
            try await drop.must(
                #"mkdir -p tree/sub; echo 1 > tree/a.txt; echo 22 > "tree/sub/b c.txt"; cp -r tree "$M/""#)
            #expect(await drop.arrive(2))
            try await drop.drain()
            #expect(drop.sizes == ["a.txt 2", "b c.txt 3"])
            #expect(drop.uploads.compactMap { $0.fields.first?.text }.sorted() == ["tree/a.txt", "tree/sub/b c.txt"])
            #expect(drop.uploads.allSatisfy { $0.fields.first?.name == "path" })
            #expect(
                try await drop.mount.text(of: #"cd "$M/sent" && find . -type f | sort"#)
                    == "./tree/a.txt.json\n./tree/sub/b c.txt.json\n")
            try await drop.must(#"rmdir "$M/tree/sub" "$M/tree""#)
        }
    }
}
