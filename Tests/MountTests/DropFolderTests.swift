import LoopbackServer
import MountHarness
import Testing

/// The drop folder as a folder: what can be done with files that have not gone up yet, and with those that could not.
struct DropFolderTests {
    /// Field case D23.
    @Test func renamedAndRemovedFilesGoUpOnlyAsTheyAreLast() async throws {
        try await withDrop(DropScene.quick + ",uploads=1") { drop in
            // So slow that it runs until it is cancelled.
            drop.target.script([UploadBehaviour.accept.at(bytesPerSecond: 500)])
            try await drop.put("run.bin", pattern(0..<1_000_000))
            #expect(await eventually { drop.target.attempts.first?.bytesRead ?? 0 > 0 })
            try await drop.must(
                #"echo a > "$M/q1.txt"; echo b > "$M/q2.txt"; mv "$M/q1.txt" "$M/q1new.txt"; rm "$M/q2.txt" "$M/run.bin""#
            )
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.names == ["q1new.txt"])
            #expect(drop.attempts.count == 2)
        }
    }

    @Test func fileRenamedWhileItIsSentGoesUpUnderItsNewName() async throws {
        try await withDrop { drop in
            drop.target.script([UploadBehaviour.accept.at(bytesPerSecond: 500)])
            try await drop.put("old.bin", pattern(0..<1_000_000))
            #expect(await eventually { drop.target.attempts.first?.bytesRead ?? 0 > 0 })
            try await drop.must(#"mv "$M/old.bin" "$M/new.bin""#)
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.names == ["new.bin"])
            #expect(drop.attempts.count == 2)
            #expect(Set(drop.attempts.map(\.key)).count == 2)
        }
    }

    @Test func pendingFilesAreReadableAndCanBeReplaced() async throws {
        try await withDrop { drop in
            drop.server.stop()
            let content = pattern(0..<3_000_000)
            try await drop.put("a.bin", content)
            #expect(mismatch(try await drop.mount.bytes("a.bin"), content) == nil)
            let part = try await drop.mount.read("a.bin", at: 1_234_567, count: 10_000)
            #expect(mismatch(part.output, pattern(1_234_567..<1_244_567)) == nil, "\(part.errors)")
            #expect(try await drop.mount.stat("a.bin", "%s") == "3000000")
            try await drop.put("b.txt", "replaced\n")
            try await drop.put("c.txt", "kept\n")
            try await drop.must(#"mv "$M/c.txt" "$M/b.txt"; echo short > "$M/a.bin""#)
            #expect(try await drop.mount.text("b.txt") == "kept\n")
            try drop.server.start()
            #expect(await drop.arrive(2))
            try await drop.drain()
            #expect(drop.sizes == ["a.bin 6", "b.txt 5"])
        }
    }

    /// Field case D25.
    @Test func copiesKeepTheirTimesAndGoUpOnce() async throws {
        try await withDrop { drop in
            drop.server.stop()
            try await drop.must(
                #"""
                set -e
                echo data > "$T/p.txt"; touch -d '2020-02-02 02:02:02.123456789Z' "$T/p.txt"
                cp -p "$T/p.txt" "$M/p.txt"
                cp -a "$T/p.txt" "$M/q.txt"
                mv "$T/p.txt" "$M/m.txt"
                chmod 400 "$M/q.txt"
                touch -d '2021-01-01 00:00:00Z' "$M/q.txt"
                chown "$(id -u):$(id -g)" "$M/m.txt"
                """#)
            let made = try await drop.mount.python(
                """
                import os, sys
                fd = os.open(sys.argv[1] + "/z.bin", os.O_CREAT | os.O_RDWR)
                os.ftruncate(fd, 10); os.fsync(fd); os.pwrite(fd, b"x", 3); os.close(fd)
                """)
            #expect(made.succeeded, "\(made)")
            #expect(try await drop.mount.stat("p.txt", "%.9Y") == "1580608922.123456789")
            #expect(try await drop.mount.stat("m.txt", "%Y") == "1580608922")
            #expect(try await drop.mount.stat("q.txt", "%Y %a") == "1609459200 400")
            let attribute = try await drop.sh(#"setfattr -n user.note -v x "$M/q.txt""#)
            #expect(attribute.errors.contains("not supported"), "\(attribute)")
            try drop.server.start()
            #expect(await drop.arrive(4))
            try await drop.drain()
            #expect(drop.sizes == ["m.txt 5", "p.txt 5", "q.txt 5", "z.bin 10"])
            #expect(drop.attempts.count == 4)
            let content = drop.uploads.first { $0.file?.fileName == "z.bin" }?.file?.content
            #expect(content == [0, 0, 0, 0x78, 0, 0, 0, 0, 0, 0])
        }
    }

    /// Changed attributes are no change of the content.
    @Test func attributesChangedWhileAFileIsSentDoNotDisturbIt() async throws {
        try await withDrop { drop in
            drop.target.behave(UploadBehaviour.accept.after(.milliseconds(700)))
            try await drop.put("a.txt", "x\n")
            #expect(await eventually { drop.attempts.count == 1 })
            try await drop.must(#"touch -d 2020-01-01 "$M/a.txt" && chmod 640 "$M/a.txt""#)
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.attempts.count == 1)
        }
    }

    /// Field case D26.
    @Test func freeSpaceIsThatOfTheSpoolsDisk() async throws {
        try await withTemporaryDisk(megabytes: 48) { disk in
            try await withDrop(DropScene.quick + ",spool=\(disk)/spool") { drop in
                let free = try await drop.mount.text(of: #"stat -f -c '%a %S' "$M" | awk '{printf "%.0f", $1*$2}'"#)
                let bytes = try #require(Int64(free))
                #expect(bytes > 16 << 20 && bytes <= 48 << 20, "\(bytes)")
            }
        }
    }

    @Test func renamesFollowTheRules() async throws {
        try await withDrop { drop in
            drop.server.stop()
            try await drop.put("a", "a")
            try await drop.put("b", "b")
            let checked = try await drop.mount.python(
                """
                import ctypes, errno, os, sys
                os.chdir(sys.argv[1])
                libc = ctypes.CDLL(None, use_errno=True)
                def rename(old, new, flags):
                    return 0 if libc.renameat2(-100, old, -100, new, flags) == 0 else ctypes.get_errno()
                assert rename(b"a", b"b", 1) == errno.EEXIST
                assert rename(b"a", b"c", 1) == 0
                assert open("c").read() == "a" and not os.path.exists("a")
                os.mkdir("d"); os.mkdir("e"); open("e/f", "w").write("f")
                for call, expected in [
                    (lambda: os.rename("c", "d"), errno.EISDIR), (lambda: os.rename("d", "c"), errno.ENOTDIR),
                    (lambda: os.rename("d", "e"), errno.ENOTEMPTY), (lambda: os.rmdir("e"), errno.ENOTEMPTY),
                    (lambda: os.rename("e", "e/g"), errno.EINVAL), (lambda: os.link("c", "l"), errno.EPERM),
                    (lambda: os.symlink("c", "s"), errno.EPERM), (lambda: os.mkfifo("p"), errno.EPERM),
                    (lambda: open(b"\\xff\\xfe", "w"), errno.EILSEQ), (lambda: os.mkdir(b"\\xff"), errno.EILSEQ),
                    (lambda: os.rename("c", b"\\xff"), errno.EILSEQ), (lambda: os.mkdir("d"), errno.EEXIST),
                    (lambda: os.mkdir("sent"), errno.EEXIST), (lambda: os.open("c", os.O_CREAT | os.O_EXCL), errno.EEXIST),
                    (lambda: os.open("n" * 256, os.O_CREAT), errno.ENAMETOOLONG), (lambda: os.unlink("x"), errno.ENOENT),
                ]:
                    try:
                        call()
                    except OSError as error:
                        assert error.errno == expected, (error, expected)
                    else:
                        raise AssertionError(expected)
                os.rename("e", "d")
                assert open("d/f").read() == "f"
                print("ok")
                """)
            #expect(checked.text == "ok\n", "\(checked)")
            try drop.server.start()
            #expect(await drop.arrive(3))
            try await drop.drain()
            #expect(drop.names == ["b", "c", "f"])
        }
    }

    @Test func fileRemovedWhileOpenIsDiscarded() async throws {
        try await withDrop { drop in
            let checked = try await drop.mount.python(
                """
                import os, sys
                fd = os.open(sys.argv[1] + "/gone.txt", os.O_CREAT | os.O_RDWR)
                os.write(fd, b"before")
                os.unlink(sys.argv[1] + "/gone.txt")
                os.write(fd, b" after")
                assert os.pread(fd, 100, 0) == b"before after"
                assert os.fstat(fd).st_size == 12
                os.close(fd)
                print("ok")
                """)
            #expect(checked.text == "ok\n", "\(checked)")
            try await drop.letTimePass()
            #expect(drop.attempts.isEmpty)
            try await drop.drain()
        }
    }

    @Test func openHandlesFollowARename() async throws {
        try await withDrop { drop in
            try await drop.must(
                #"exec 3> "$M/one.txt"; echo 1 >&3; mv "$M/one.txt" "$M/two.txt"; echo 2 >&3; exec 3>&-"#)
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.uploads.map { $0.file?.fileName } == ["two.txt"])
            #expect(drop.uploads.map { $0.file?.text } == ["1\n2\n"])
        }
    }

    @Test func fileSetAsideCanBeMovedBackEditedOrRemoved() async throws {
        try await withDrop { drop in
            drop.target.behave(.refuse(422))
            try await drop.must(#"mkdir "$M/d""#)
            for name in ["a.txt", "b.txt", "d/c.txt"] { try await drop.put(name, "\(name)\n") }
            try await drop.mount.dropQueue { $0.isEmpty && $0.failed == 3 }
            #expect(
                try await drop.mount.text(of: #"cd "$M/failed" && find . -type f | sort"#)
                    == "./a.txt\n./a.txt.error.txt\n./b.txt\n./b.txt.error.txt\n./d/c.txt\n./d/c.txt.error.txt\n")
            drop.target.behave(.accept)
            try await drop.must(
                #"rm "$M/failed/b.txt"; mv "$M/failed/a.txt" "$M/better.txt"; mv "$M/failed/d/c.txt" "$M/d/c.txt""#)
            #expect(await drop.arrive(2))
            try await drop.drain()
            #expect(drop.names == ["better.txt", "c.txt"])
            #expect(try await drop.mount.dropQueue().failed == 0)
            let left = try await drop.mount.text(of: #"find "$M/failed" -type f"#)
            #expect(left == "", "\(left)")
            // A new version, so a new key.
            #expect(Set(drop.attempts.map(\.key)).count >= 3)
        }
    }

    /// The name is free again at once, and both failures are kept.
    @Test func secondFileOfANameIsSetAsideBesideTheFirst() async throws {
        try await withDrop { drop in
            drop.target.behave(.refuse(400))
            for number in 1...2 {
                try await drop.put("a.txt", "\(number)\n")
                try await drop.mount.dropQueue { $0.isEmpty && $0.failed == number }
            }
            let names = try await drop.mount.list("failed").filter { !$0.hasSuffix(".error.txt") }
            #expect(names.count == 2 && names.contains("a.txt"), "\(names)")
            #expect(try await drop.mount.text(of: #"cat "$M"/failed/a*.txt | grep -cx '[12]'"#) == "2\n")
        }
    }

    @Test func receiptsAreKeptByFolderAndNumber() async throws {
        try await withDrop { drop in
            try await drop.must(#"mkdir "$M/d""#)
            for number in 1...3 {
                try await drop.put("d/a.txt", "\(number)")
                #expect(await drop.arrive(number))
                try await drop.drain()
            }
            #expect(try await drop.mount.list("sent/d") == ["a.txt (2).json", "a.txt (3).json", "a.txt.json"])
            let changed = try await drop.sh(#"echo x > "$M/sent/d/a.txt.json""#)
            #expect(!changed.succeeded, "\(changed)")
            try await drop.end()
            try await drop.mountAgain()
            #expect(try await drop.mount.list("sent/d") == ["a.txt (2).json", "a.txt (3).json", "a.txt.json"])
            #expect(try await drop.mount.text("sent/d/a.txt (3).json").contains("a.txt"))
        }
    }

    @Test func thousandReceiptsAreKept() async throws {
        try await withDrop(DropScene.quick + ",uploads=8") { drop in
            try await drop.must(
                #"mkdir in; for i in $(seq 1003); do echo $i > in/$i; done; cp in/? in/?? "$M/""#)
            #expect(await drop.arrive(99))
            try await drop.drain()
            try await drop.must(#"cp in/??? in/???? "$M/""#, limit: .seconds(180))
            #expect(await drop.arrive(1003, within: .seconds(300)))
            try await drop.drain()
            let kept = try await drop.mount.list("sent")
            #expect(kept.count == 1000)
            // The oldest are gone.
            #expect(Set(1...1003).subtracting(kept.compactMap { Int($0.dropLast(5)) }).allSatisfy { $0 < 100 })
        }
    }

    @Test func foldersAreOfTheirOwnerAlone() async throws {
        try await withDrop { drop async throws in
            #expect(try await drop.mount.stat("", "%a") == "700")
            #expect(try await drop.mount.text(of: #"find "$HOME/state" -perm /077 | wc -l"#) == "0\n")
        }
        try await withDrop(DropScene.quick + ",umask=022") { drop async throws in
            #expect(try await drop.mount.stat("", "%a") == "755")
        }
    }

    @Test func otherSourcesOfTheMountStayReadOnly() async throws {
        try await withDrop(sources: { server, _ in
            server.directory("/", ["f.txt"])
            server.text("/f.txt", "f\n")
            return ["files=\(server.url)/", "up=drop+\(server.url)/upload"]
        }) { drop in
            #expect(try await drop.mount.list() == ["files", "up"])
            #expect(try await drop.mount.text("files/f.txt") == "f\n")
            for command in [#"echo x > "$M/files/n""#, #"mkdir "$M/n""#, #"rm "$M/files/f.txt""#, #"echo x > "$M/n""#] {
                let tried = try await drop.sh(command)
                #expect(tried.errors.contains("Read-only file system"), "\(command): \(tried)")
            }
            let moved = try await drop.sh(#"cp "$M/files/f.txt" "$M/up/f.txt""#)
            #expect(moved.succeeded, "\(moved)")
            #expect(await drop.arrive(1))
            #expect(drop.uploads.first?.file?.text == "f\n")
        }
    }

    @Test func progressIsShownWhileAFileIsSent() async throws {
        try await withDrop { drop in
            drop.target.script([UploadBehaviour.accept.at(bytesPerSecond: 100_000)])
            try await drop.put("a.bin", pattern(0..<1_000_000))
            var shown: Command?
            _ = await eventually { drop.target.attempts.first?.bytesRead ?? 0 > 100_000 }
            shown = try await drop.mount.run(
                "getfattr", "--only-values", "-n", "user.skyfs.progress", "\(drop.mount.path)/a.bin")
            let queue = try await drop.mount.dropQueue()
            #expect(queue.sending == 1 && queue.files.first?.path == "a.bin", "\(queue)")
            #expect(shown?.succeeded == true && shown?.output.isEmpty == false, "\(shown.map { "\($0)" } ?? "")")
            #expect(await drop.arrive(1))
        }
    }
}
