import LoopbackServer
import MountHarness
import Platform
import SeededRandom
import Testing

/// Whatever ends at whatever moment: what `close` returned 0 for arrives, and nothing half-written ever does.
struct DropCrashTests {
    /// Copies files numbered from `first` and notes the name of each once `cp` has succeeded, until one fails.
    private static let copier = #"""
        for i in $(seq "$1" "$2"); do
            cp "$T/in/$i.bin" "$M/$i.bin" 2>/dev/null || break
            echo "$i" >> "$T/done"
        done
        """#

    /// Content of a file: its number at the start, then a part of the pattern that no other file has.
    private static func content(_ number: Int, _ size: Int) -> [UInt8] {
        Array("file \(number)\n".utf8) + pattern(Int64(number)..<Int64(number + size))
    }

    /// Makes the files 1...count, of random sizes below 200 KB, some empty but for their first line.
    private static func fill(_ scratch: Scratch, _ count: Int, _ random: inout SplitMix) throws -> [String: [UInt8]] {
        _ = try scratch.directory("in")
        try scratch.file("done", "")
        var contents: [String: [UInt8]] = [:]
        for number in 1...count {
            let size = random.below(4) == 0 ? 0 : random.below(200_000)
            contents["\(number).bin"] = content(number, size)
            try scratch.file("in/\(number).bin", content(number, size))
        }
        return contents
    }

    /// Every upload has the bytes of its file, every file copied went up, and no version went up twice as two.
    private static func expectAllArrived(_ drop: DropScene, _ contents: [String: [UInt8]]) async throws {
        try await drop.drain(within: .seconds(300))
        let uploads = Dictionary(grouping: drop.uploads) { $0.file?.fileName ?? "" }
        for (name, group) in uploads {
            let expected = contents[name] ?? []
            for upload in group { #expect(mismatch(upload.file?.content ?? [], expected) == nil, "\(name)") }
            // An answer that the crash swallowed is asked for again with the same key.
            #expect(Set(group.map(\.key)).count == 1, "\(name)")
        }
        let done = Set(drop.scratch.text("done").split(separator: "\n").map { "\($0).bin" })
        #expect(done.subtracting(uploads.keys).isEmpty)
        for name in try await drop.mount.list("failed") where name.hasSuffix(".error.txt") {
            #expect(try await drop.mount.text("failed/\(name)").contains("incomplete"), "\(name)")
            #expect(!done.contains(String(name.dropLast(".error.txt".count))), "\(name)")
        }
        #expect(try await drop.list() == [])
    }

    @Test(arguments: 1...8)
    func killedProgramLosesNothing(seed: Int) async throws {
        try await withDrop { drop in
            var random = SplitMix(seed: UInt64(seed))
            let contents = try Self.fill(drop.scratch, 50, &random)
            let pace = random.below(40)
            drop.target.behave(UploadBehaviour.accept.after(.milliseconds(pace)))
            var next = 1
            while next <= 50 {
                let copier = try drop.mount.start("bash", "-c", Self.copier, "bash", "\(next)", "50")
                // The moment is some count of files copied and of requests begun, and then some time.
                let copied = next + random.below(20)
                let begun = drop.target.attempts.count + random.below(8)
                _ = await eventually(within: .seconds(5)) {
                    copier.exit != nil
                        || drop.scratch.text("done").count { $0 == "\n" } >= copied
                            && drop.target.attempts.count >= begun
                }
                try await Task.sleep(for: .milliseconds(random.below(60)))
                try await drop.kill(waitingFor: copier)
                let done = drop.scratch.text("done").split(separator: "\n").last.flatMap { Int($0) } ?? 0
                // The file at which it ended may have arrived or not; it is not copied again.
                next = max(next, done) + 2
                try await drop.mountAgain()
            }
            try await Self.expectAllArrived(drop, contents)
        }
    }

    /// The connections of the server break at any moment.
    @Test(arguments: [11, 12])
    func restartedServerLosesNothing(seed: Int) async throws {
        try await withDrop { drop in
            var random = SplitMix(seed: UInt64(seed))
            let contents = try Self.fill(drop.scratch, 60, &random)
            drop.target.behave(UploadBehaviour.accept.at(bytesPerSecond: 1_000_000).after(.milliseconds(10)))
            let copier = try drop.mount.start("bash", "-c", Self.copier, "bash", "1", "60")
            defer { copier.killGroup() }
            for _ in 0..<8 {
                try await Task.sleep(for: .milliseconds(random.below(400)))
                drop.server.stop()
                try await Task.sleep(for: .milliseconds(random.below(300)))
                try drop.server.start()
            }
            #expect(await copier.wait(within: .seconds(120)) == .status(0))
            #expect(drop.scratch.text("done").split(separator: "\n").count == 60)
            try await Self.expectAllArrived(drop, contents)
        }
    }

    @Test func writerKilledInMidCopyLeavesAnIncompleteFile() async throws {
        try await withDrop { drop in
            let writer = try drop.mount.start(
                "/usr/bin/python3", "-c",
                """
                import os, time
                fd = os.open(os.environ["M"] + "/half.bin", os.O_CREAT | os.O_WRONLY)
                os.write(fd, bytes(100_000))
                open(os.environ["T"] + "/begun", "w").close()
                time.sleep(100)
                """)
            let path = drop.scratch.path
            #expect(await eventually { exists("\(path)/begun") })
            writer.killGroup()
            #expect(await writer.wait(within: .seconds(20)) == .signal(9))
            try await drop.mount.dropQueue { $0.isEmpty && $0.failed == 1 }
            try await drop.letTimePass()
            #expect(drop.attempts.isEmpty)
            #expect(try await drop.mount.stat("failed/half.bin", "%s") == "100000")
            #expect(try await drop.mount.text("failed/half.bin.error.txt").contains("incomplete"))
            // The user knows better.
            try await drop.must(#"mv "$M/failed/half.bin" "$M/half.bin""#)
            #expect(await drop.arrive(1))
            #expect(drop.sizes == ["half.bin 100000"])
        }
    }

    @Test func programKilledInMidCopyLeavesAnIncompleteFile() async throws {
        try await withDrop { drop in
            let writer = try drop.mount.start(
                "/usr/bin/python3", "-c",
                """
                import os, time
                fd = os.open(os.environ["M"] + "/half.bin", os.O_CREAT | os.O_WRONLY)
                os.write(fd, bytes(100_000))
                open(os.environ["T"] + "/begun", "w").close()
                time.sleep(100)
                """)
            defer { writer.killGroup() }
            let path = drop.scratch.path
            #expect(await eventually { exists("\(path)/begun") })
            // By then the journal knows the name.
            try await drop.letTimePass()
            try await drop.kill()
            try await drop.mountAgain()
            try await drop.letTimePass()
            #expect(drop.attempts.isEmpty)
            #expect(try await drop.list() == [])
            #expect(try await drop.mount.text("failed/half.bin.error.txt").contains("incomplete"))
        }
    }

    @Test func queueFoldersAndAttributesOutliveAKill() async throws {
        try await withDrop { drop in
            drop.server.stop()
            try await drop.must(
                #"""
                set -e; cd "$M"; mkdir -p d/e empty
                echo one > d/e/one.txt; echo two > two.txt; echo lock > .~lock.x#
                chmod 400 two.txt; touch -d '2020-02-02 02:02:02Z' two.txt
                mv d/e/one.txt d/renamed.txt
                """#)
            let script =
                #"cd "$M" && find . -path ./sent -prune -o -path ./failed -prune -o -mindepth 1 -type f -printf '%p %s %m %T@\n' -o -printf '%p %m\n' | sort"#
            let before = try await drop.mount.text(of: script)
            try await drop.kill()
            try await drop.mountAgain()
            #expect(try await drop.mount.text(of: script) == before)
            #expect(before.contains("./two.txt 4 400 1580608922"), "\(before)")
            try drop.server.start()
            #expect(await drop.arrive(2))
            try await drop.drain()
            #expect(drop.names == ["renamed.txt", "two.txt"])
            #expect(
                try await drop.mount.list().filter { !["sent", "failed"].contains($0) } == [".~lock.x#", "d", "empty"])
        }
    }

    /// What was removed or renamed stays so.
    @Test func removalsAndRenamesOutliveAKill() async throws {
        try await withDrop { drop in
            drop.server.stop()
            for name in ["a", "b", "c"] { try await drop.put(name, name) }
            try await drop.must(#"cd "$M"; rm a; mv b c; sync ."#)
            try await drop.kill()
            try await drop.mountAgain()
            #expect(try await drop.list() == ["c"])
            #expect(try await drop.mount.text("c") == "b")
            try drop.server.start()
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["c 1"])
        }
    }

    @Test func failedFilesAndReceiptsOutliveAKill() async throws {
        try await withDrop { drop in
            drop.target.script([.refuse(400)])
            try await drop.put("bad.txt", "bad\n")
            try await drop.mount.dropQueue { $0.isEmpty && $0.failed == 1 }
            try await drop.put("good.txt", "good\n")
            #expect(await drop.arrive(1))
            try await drop.drain()
            let told = try await drop.mount.text("failed/bad.txt.error.txt")
            try await drop.kill()
            try await drop.mountAgain()
            #expect(try await drop.mount.list("failed") == ["bad.txt", "bad.txt.error.txt"])
            #expect(try await drop.mount.text("failed/bad.txt") == "bad\n")
            #expect(try await drop.mount.text("failed/bad.txt.error.txt") == told)
            #expect(try await drop.mount.list("sent") == ["good.txt.json"])
            try await drop.letTimePass()
            #expect(drop.attempts.count == 2)
            try await drop.must(#"mv "$M/failed/bad.txt" "$M/""#)
            #expect(await drop.arrive(2))
        }
    }
}
