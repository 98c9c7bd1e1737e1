import LoopbackServer
import MountHarness
import Platform
import SeededRandom
import Testing

/// What happens to a file of a drop folder at the very moment at which something else happens to it.
struct DropRaceTests {
    /// The receipt of a large file takes a while, in which the server has the file and its name is free.
    @Test func textWrittenWhileTheReceiptIsMadeIsNotLost() async throws {
        let size: Int64 = 192 << 20
        try await withDrop(target: UploadTarget(keeping: 1024, digests: false)) { drop in
            try await drop.must(#"truncate -s \#(size) "$M/log.txt""#)
            let writer = try drop.mount.start(
                "/usr/bin/python3", "-c",
                """
                import os, time
                path, count = os.environ["M"] + "/log.txt", 0
                while not os.path.exists(os.environ["T"] + "/answered"): time.sleep(0.001)
                for count in range(20):
                    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
                    os.write(fd, b"%04d\\n" % count); os.close(fd); time.sleep(0.02)
                """)
            defer { writer.killGroup() }
            #expect(await drop.arrive(1))
            try drop.scratch.file("answered", "")
            #expect(await writer.wait(within: .seconds(60)) == .status(0))
            try await drop.drain()
            // A line is at the end of the large file as it went up last, or in one that came after it.
            let sizes = drop.uploads.map { $0.file?.size ?? 0 }
            var lines = Set(0..<Int(((sizes.filter { $0 >= size }.max() ?? size) - size) / 5))
            for upload in drop.uploads where upload.file?.size ?? size < size {
                let text = String(decoding: upload.file?.content ?? [], as: UTF8.self)
                lines.formUnion(text.split(separator: "\n").compactMap { Int($0) })
            }
            #expect(lines == Set(0..<20), "\(sizes)")
            #expect(try await drop.mount.list("failed") == [])
        }
    }

    /// The child never wrote; what its parent writes is whole.
    @Test func killedChildDoesNotSpoilItsParentsFile() async throws {
        try await withDrop { drop in
            let script = """
                import os, signal, sys, time
                def child():
                    pid = os.fork()
                    if pid == 0:
                        time.sleep(100)
                    os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)
                for name, goes_on in [("a.bin", True), ("b.bin", False)]:
                    fd = os.open(sys.argv[1] + "/" + name, os.O_CREAT | os.O_WRONLY)
                    os.write(fd, b"one"); child()
                    if goes_on: os.write(fd, b"two")
                    os.close(fd)
                """
            let written = try await drop.mount.python(script)
            #expect(written.succeeded, "\(written)")
            #expect(await drop.arrive(2))
            try await drop.drain()
            #expect(drop.sizes == ["a.bin 6", "b.bin 3"])
            #expect(try await drop.mount.list("failed") == [])
        }
    }

    /// The child wrote last, and who closes the descriptor after it adds nothing.
    @Test func fileOfAKilledChildIsIncompleteUnlessItsParentGoesOn() async throws {
        try await withDrop { drop in
            let script = """
                import os, signal, sys, time
                def child(fd):
                    r, w = os.pipe()
                    pid = os.fork()
                    if pid == 0:
                        os.write(fd, b"half"); os.write(w, b"x"); time.sleep(100)
                    os.read(r, 1); os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)
                for name, goes_on in [("a.bin", True), ("b.bin", False)]:
                    fd = os.open(sys.argv[1] + "/" + name, os.O_CREAT | os.O_WRONLY)
                    child(fd)
                    if goes_on: os.write(fd, b"and more")
                    os.close(fd)
                """
            let written = try await drop.mount.python(script)
            #expect(written.succeeded, "\(written)")
            #expect(await drop.arrive(1))
            try await drop.drain()
            try await drop.letTimePass()
            #expect(drop.sizes == ["a.bin 12"])
            #expect(try await drop.mount.list("failed") == ["b.bin", "b.bin.error.txt"])
        }
    }

    /// A file that waits is overwritten, and the writer is killed in the middle of it.
    @Test func earlierVersionGoesUpWhenTheNextOneIsHalf() async throws {
        try await withDrop { drop in
            drop.server.stop()
            try await drop.put("a.txt", "whole\n")
            let writer = try await Self.overwrite(drop)
            writer.killGroup()
            #expect(await writer.wait(within: .seconds(20)) == .signal(9))
            try await drop.mount.dropQueue { $0.failed == 1 }
            #expect(try await drop.mount.text("a.txt") == "whole\n")
            try drop.server.start()
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["a.txt 6"])
            #expect(try await drop.mount.list("failed") == ["a.txt", "a.txt.error.txt"])
            #expect(try await drop.mount.stat("failed/a.txt", "%s") == "100000")
        }
    }

    /// The same, but it is skyfs that is killed; also after the file got another name in between.
    @Test(arguments: [false, true])
    func earlierVersionGoesUpAfterAKill(isRenamed: Bool) async throws {
        try await withDrop { drop in
            drop.server.stop()
            try await drop.put("a.txt", "whole\n")
            let writer = try await Self.overwrite(drop)
            defer { writer.killGroup() }
            if isRenamed { try await drop.must(#"mv "$M/a.txt" "$M/b.txt""#) }
            try await drop.kill()
            try await drop.mountAgain()
            let name = isRenamed ? "b.txt" : "a.txt"
            try await drop.mount.dropQueue { $0.failed == 1 }
            #expect(try await drop.list() == [name])
            #expect(try await drop.mount.text(name) == "whole\n")
            try drop.server.start()
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["\(name) 6"])
            #expect(try await drop.mount.list("failed").count == 2)
            // Nothing of what was cut short stays in the journal.
            try await drop.must(#"rm -f "$M"/failed/*"#)
            try await drop.end()
            let rows = try await drop.mount.text(
                of: #"""
                    /usr/bin/python3 -c 'import glob, os, sqlite3, sys
                    path, = glob.glob(os.environ["T"] + "/**/journal.sqlite", recursive=True)
                    print(sqlite3.connect(path).execute("SELECT count(*) FROM file").fetchone()[0])
                    print(len(os.listdir(os.path.dirname(path) + "/files")))'
                    """#)
            #expect(rows == "0\n0\n")
            try await drop.mountAgain()
        }
    }

    /// Opens a.txt anew, writes 100000 bytes and leaves it open.
    private static func overwrite(_ drop: DropScene) async throws -> ChildProcess {
        let writer = try drop.mount.start(
            "/usr/bin/python3", "-c",
            """
            import os, time
            fd = os.open(os.environ["M"] + "/a.txt", os.O_TRUNC | os.O_WRONLY)
            os.write(fd, bytes(100_000))
            open(os.environ["T"] + "/begun", "w").close()
            time.sleep(100)
            """)
        let path = drop.scratch.path
        guard await eventually({ exists("\(path)/begun") }) else { throw HarnessError("the writer does not begin") }
        return writer
    }

    /// FSYNC makes bytes safe, and anybody may look in; but they are no whole file for that.
    @Test(arguments: ["os.fsync(fd)", "os.close(os.open(path, os.O_RDWR))"])
    func synchronizedFileIsNotWholeBeforeItIsClosed(action: String) async throws {
        try await withDrop { drop in
            let writer = try drop.mount.start(
                "/usr/bin/python3", "-c",
                """
                import os, time
                path = os.environ["M"] + "/half.bin"
                fd = os.open(path, os.O_CREAT | os.O_WRONLY)
                os.write(fd, bytes(100_000)); \(action)
                open(os.environ["T"] + "/begun", "w").close()
                time.sleep(100)
                """)
            defer { writer.killGroup() }
            let path = drop.scratch.path
            #expect(await eventually { exists("\(path)/begun") })
            try await drop.kill()
            try await drop.mountAgain()
            try await drop.letTimePass()
            #expect(drop.attempts.isEmpty)
            #expect(try await drop.mount.stat("failed/half.bin", "%s") == "100000")
        }
    }

    /// A program that syncs before it closes gets the verdict all the same.
    @Test func verdictComesAlsoAfterASync() async throws {
        try await withDrop(DropScene.quick + ",upload=wait") { drop in
            drop.target.behave(.refuse(400))
            let written = try await drop.mount.python(
                """
                import os, sys
                fd = os.open(sys.argv[1] + "/a.bin", os.O_CREAT | os.O_WRONLY)
                os.write(fd, b"data"); os.fsync(fd); os.fdatasync(fd)
                try: os.close(fd)
                except OSError: print("refused")
                """)
            #expect(written.text == "refused\n", "\(written)")
        }
    }

    /// Nothing of a removed file is left, whatever is still done to it.
    @Test func removedFileTakesWritesAndLeavesNothing() async throws {
        try await withDrop { drop in
            drop.server.stop()
            for name in ["a", "b", "c"] { try await drop.put(name, "first\n") }
            try await drop.end()
            try await drop.mountAgain()
            let written = try await drop.mount.python(
                """
                import os, sys
                os.chdir(sys.argv[1])
                for name, change in [("a", None), ("b", 0), ("c", 3)]:
                    fd = os.open(name, os.O_RDWR); reader = os.open(name, os.O_RDONLY)
                    os.unlink(name)
                    os.sync()
                    if change is not None: os.ftruncate(fd, change)
                    os.pwrite(fd, b"second", 6); os.fsync(fd)
                    expected = {None: b"first\\nsecond", 0: bytes(6) + b"second", 3: b"fir" + bytes(3) + b"second"}[change]
                    assert os.pread(reader, 100, 0) == expected, os.pread(reader, 100, 0)
                    os.close(fd); os.close(reader)
                """)
            #expect(written.succeeded, "\(written)")
            try await drop.mount.dropQueue { $0.isEmpty && $0.nodes == 3 }
            try await drop.end()
            #expect(
                try await drop.mount.text(of: #"find "$T" -path '*/files/*' -type f"#) == "")
            try await drop.mountAgain()
            #expect(try await drop.list() == [])
            #expect(try await drop.mount.list("failed") == [])
        }
    }

    /// truncate(2) of a file that is sent, waits, or has arrived.
    @Test func truncatedFileGoesUpAsItIsLast() async throws {
        try await withDrop { drop in
            drop.target.script([UploadBehaviour.accept.at(bytesPerSecond: 500)])
            try await drop.put("a.bin", pattern(0..<1_000_000))
            #expect(await eventually { drop.target.attempts.first?.bytesRead ?? 0 > 0 })
            try await drop.must(#"truncate -s 10 "$M/a.bin""#)
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["a.bin 10"])
            #expect(drop.uploads.first?.file?.content == pattern(0..<10))
            #expect(Set(drop.attempts.map(\.key)).count == 2)
            let late = try await drop.sh(#"truncate -c -s 5 "$M/a.bin"; truncate -s 5 "$M/sent/a.bin.json""#)
            #expect(!late.succeeded, "\(late)")
            try await drop.letTimePass()
            #expect(drop.sizes == ["a.bin 10"])
        }
    }

    /// A shared mapping is written to after its descriptor was closed.
    @Test func mappingChangedAfterTheCloseGoesUpAsItWasLast() async throws {
        try await withDrop { drop in
            let written = try await drop.mount.python(
                """
                import mmap, os, sys, time
                fd = os.open(sys.argv[1] + "/a.bin", os.O_CREAT | os.O_RDWR)
                os.ftruncate(fd, 8192)
                mapping = mmap.mmap(fd, 8192); os.close(fd)
                for step in range(10):
                    mapping[step * 500] = 65 + step; mapping.flush(); time.sleep(0.05)
                mapping[8191] = 90
                """)
            #expect(written.succeeded, "\(written)")
            #expect(await drop.arrive(1))
            try await drop.drain()
            let content = drop.uploads.last?.file?.content ?? []
            #expect(content.count == 8192 && content.last == 90 && content.first == 65)
            #expect(drop.attempts.count == 1)
        }
    }

    /// Two programs write to one file at once, and both close it again and again.
    @Test func filesOfTwoWritersGoUpAsTheyWereLast() async throws {
        try await withDrop { drop in
            let written = try await drop.mount.python(
                """
                import os, sys, threading
                path = sys.argv[1] + "/a.bin"
                def write(number):
                    for step in range(200):
                        fd = os.open(path, os.O_CREAT | os.O_WRONLY)
                        os.pwrite(fd, bytes([number]) * 5000, (2 * step + number) * 5000)
                        if step % 7 == 0: os.fsync(fd)
                        os.close(fd)
                threads = [threading.Thread(target=write, args=[number]) for number in range(2)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                """)
            #expect(written.succeeded, "\(written)")
            #expect(await drop.arrive(1))
            try await drop.drain()
            let expected = (0..<400).flatMap { [UInt8](repeating: UInt8($0 % 2), count: 5000) }
            #expect(mismatch(drop.uploads.last?.file?.content ?? [], expected) == nil)
            #expect(try await drop.mount.list("failed") == [])
        }
    }

    /// Programs that write, rename, empty and remove the same files all the time, while the server fails now and then.
    /// Every line that was closed and not taken away again arrives.
    @Test(arguments: [1, 2])
    func everyLineOfManyWritersArrives(seed: Int) async throws {
        try await withDrop(DropScene.quick + ",uploads=2") { drop in
            let random = Lock(SplitMix(seed: UInt64(seed)))
            drop.target.behave { _ in
                switch random.withLock({ $0.below(40) }) {
                case 0..<3: .refuse(503)
                case 3..<6: .reset(afterBody: 20)
                case 6: .loseAnswer
                case 7..<12: UploadBehaviour.accept.after(.milliseconds(100))
                default: .accept
                }
            }
            let written = try await drop.mount.python(Self.writers, "\(seed)", limit: .seconds(120))
            #expect(written.succeeded, "\(written)")
            try await drop.drain(within: .seconds(300))
            let uploaded = drop.uploads.map { String(decoding: $0.file?.content ?? [], as: UTF8.self) }
            let lines = Set(uploaded.flatMap { $0.split(separator: "\n") })
            let missing = Set(written.lines.map { Substring($0) }).subtracting(lines)
            #expect(missing.isEmpty && written.lines.count > 100, "\(missing)")
            for text in uploaded { #expect(text.isEmpty || text.hasSuffix("\n"), "a mixture: \(text)") }
            #expect(try await drop.mount.list("failed") == [])
            // The kernel asks again for each, and so forgets what it knew.
            try await drop.must(
                #"for i in 0 1 2 3; do for j in 0 1 2 3; do stat "$M"/[de]/$i-$j.txt; done; done; true"#)
            let receipts = try await drop.mount.text(of: #"find "$M/sent" -mindepth 1 | wc -l"#)
            try await drop.mount.dropQueue { $0.nodes == 3 + (Int(receipts.dropLast()) ?? 0) + 2 }
            let status = try await drop.mount.text(".skyfs/status.json")
            #expect(status.contains(#""parkedReplies" : 0"#), "\(status)")
        }
    }

    /// Prints the lines that must arrive.
    private static let writers = """
        import os, random, sys, threading, time
        os.chdir(sys.argv[1]); os.makedirs("d", exist_ok=True); os.makedirs("e", exist_ok=True)
        kept = []
        def write(number):
            dice = random.Random(int(sys.argv[2]) * 100 + number)
            lines = {}
            def path(name): return ("d/" if name % 2 else "e/") + "%d-%d.txt" % (number, name)
            for step in range(400):
                name = dice.randrange(4); line = "%d:%d" % (number, step)
                action = dice.randrange(10) if step % 4 == 0 else dice.randrange(1, 6)
                try:
                    if action < 6:
                        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
                        if action == 0: flags |= os.O_TRUNC
                        time.sleep(0.005)
                        fd = os.open(path(name), flags)
                        if action == 0: lines[name] = []
                        for part in (line[:2], line[2:] + "\\n"): os.write(fd, part.encode())
                        if action == 1: os.fsync(fd)
                        if action == 2: os.close(os.dup(fd))
                        os.close(fd)
                        lines.setdefault(name, []).append(line)
                    elif action == 6:
                        other = dice.randrange(4)
                        os.rename(path(name), path(other))
                        if other != name: lines[other] = lines.pop(name, [])
                    elif action == 7:
                        os.unlink(path(name)); lines[name] = []
                    elif action == 8:
                        os.truncate(path(name), 0); lines[name] = []
                    else:
                        open(path(name)).read()
                except FileNotFoundError:
                    # It went up: its lines are on the server.
                    kept.extend(lines.pop(name, []))
            for rest in lines.values(): kept.extend(rest)
        threads = [threading.Thread(target=write, args=[number]) for number in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print("\\n".join(kept))
        """
}
