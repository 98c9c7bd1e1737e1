import LoopbackServer
import MountHarness
import Platform
import Testing

/// `skyfs unmount`, `wait` and `status`, signals, and the next mount of the same target.
struct DropUnmountTests {
    private static func skyfs(_ drop: DropScene, _ arguments: String..., limit: Duration = .seconds(60)) async throws
        -> Command
    {
        try await drop.mount.run([try SkyfsMount.program] + arguments, limit: limit)
    }

    @Test func unmountWaitsForTheQueue() async throws {
        try await withDrop { drop in
            let gate = Switch(false)
            drop.target.behave { _ in gate.value ? .accept : .refuse(503) }
            try await drop.put("a.txt", "x\n")
            let unmount = try drop.mount.start(try SkyfsMount.program, "unmount", drop.mount.path)
            defer { unmount.killGroup() }
            #expect(await eventually { drop.attempts.count >= 3 })
            #expect(unmount.exit == nil && MountTable.isMounted(drop.mount.path))
            gate.value = true
            #expect(await unmount.wait(within: .seconds(60)) == .status(0), "\(unmount.errors)")
            let said = String(decoding: unmount.output, as: UTF8.self) + unmount.errors
            #expect(said.contains("1"), "\(said)")
            #expect(!MountTable.isMounted(drop.mount.path))
            #expect(drop.sizes == ["a.txt 2"])
            #expect(await drop.mount.process.wait(within: .seconds(20)) == .status(0))
        }
    }

    @Test func unmountNowKeepsTheQueueForTheNextMount() async throws {
        try await withDrop { drop in
            drop.target.behave(.refuse(503))
            for number in 1...3 { try await drop.put("\(number).txt", "\(number)\n") }
            let unmount = try await Self.skyfs(drop, "unmount", "--now", drop.mount.path)
            #expect(unmount.succeeded, "\(unmount)")
            #expect(!MountTable.isMounted(drop.mount.path))
            #expect(await drop.mount.process.wait(within: .seconds(20)) == .status(0))
            let before = drop.attempts.count
            drop.target.behave(.accept)
            try await drop.mountAgain()
            #expect(await drop.arrive(3))
            try await drop.drain()
            #expect(drop.sizes == ["1.txt 2", "2.txt 2", "3.txt 2"])
            #expect(drop.attempts.count == before + 3)
            // Tries of the earlier mount and of this one are one upload each.
            for group in Dictionary(grouping: drop.attempts, by: { $0.file?.fileName }).values {
                #expect(Set(group.map(\.key)).count == 1)
            }
        }
    }

    @Test(arguments: [true, false])
    func plainUnmountOrSIGTERMKeepTheQueue(bySignal: Bool) async throws {
        try await withDrop { drop in
            // Under way when the mount ends.
            drop.target.script([UploadBehaviour.accept.at(bytesPerSecond: 500)])
            try await drop.put("a.bin", pattern(0..<100_000))
            #expect(await eventually { drop.target.attempts.first?.bytesRead ?? 0 > 0 })
            if bySignal {
                drop.mount.process.signal(15)
            } else {
                try await drop.must(#"fusermount3 -u "$M""#)
            }
            #expect(await drop.mount.process.wait(within: .seconds(20)) == .status(0), "\(drop.mount.process.errors)")
            #expect(!MountTable.isMounted(drop.mount.path))
            try await drop.mountAgain()
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["a.bin 100000"])
            #expect(mismatch(drop.uploads.first?.file?.content ?? [], pattern(0..<100_000)) == nil)
        }
    }

    @Test func busyDropFolderIsNotUnmounted() async throws {
        try await withDrop { drop in
            let writer = try drop.mount.start("bash", "-c", #"exec > "$M/a.txt"; touch "$T/open"; exec sleep 100"#)
            defer { writer.killGroup() }
            let path = drop.scratch.path
            #expect(await eventually { exists("\(path)/open") })
            let unmount = try await Self.skyfs(drop, "unmount", "--now", drop.mount.path)
            #expect(unmount.status == 9, "\(unmount)")
            try await drop.put("b.txt", "x")
            #expect(await drop.arrive(1))
        }
    }

    @Test func waitTellsWhetherAllWentUp() async throws {
        try await withDrop { drop in
            drop.target.behave(UploadBehaviour.accept.after(.milliseconds(300)))
            for number in 1...4 { try await drop.put("\(number).txt", "\(number)\n") }
            let waited = try await Self.skyfs(drop, "wait", drop.mount.path)
            #expect(waited.status == 0, "\(waited)")
            #expect(drop.uploads.count == 4)
            drop.target.behave(.refuse(400))
            for number in 5...6 { try await drop.put("\(number).txt", "\(number)\n") }
            let failed = try await Self.skyfs(drop, "wait", drop.mount.path)
            #expect(failed.status == 1 && (failed.text + failed.errors).contains("2"), "\(failed)")
            #expect((failed.text + failed.errors).contains("failed"), "\(failed)")
        }
    }

    /// A file that is open for writing is not done yet.
    @Test func waitCountsOpenFiles() async throws {
        try await withDrop { drop in
            let writer = try drop.mount.start(
                "bash", "-c",
                #"exec > "$M/a.txt"; echo one; touch "$T/open"; until [ -e "$T/go" ]; do sleep 0.02; done; echo two"#)
            defer { writer.killGroup() }
            let path = drop.scratch.path
            #expect(await eventually { exists("\(path)/open") })
            let waiting = try drop.mount.start(try SkyfsMount.program, "wait", drop.mount.path)
            defer { waiting.killGroup() }
            try await drop.letTimePass()
            #expect(waiting.exit == nil)
            try drop.scratch.file("go", "")
            #expect(await waiting.wait(within: .seconds(60)) == .status(0))
            #expect(drop.uploads.map { $0.file?.text } == ["one\ntwo\n"])
        }
    }

    @Test func statusShowsTheQueue() async throws {
        try await withDrop { drop in
            drop.target.behave(.refuse(503))
            try await drop.put("waiting file.txt", "x\n")
            try await drop.mount.dropQueue { $0.files.contains { $0.attempts >= 2 } }
            let status = try await Self.skyfs(drop, "status", drop.mount.path)
            #expect(status.succeeded && status.text.contains("waiting file.txt"), "\(status)")
            #expect(status.text.contains("503"), "\(status)")
            drop.target.behave(.accept)
            #expect(await drop.arrive(1))
            let queue = try await drop.mount.dropQueue { $0.isEmpty }
            #expect(queue.sent == 1 && queue.failed == 0 && queue.files.isEmpty, "\(queue)")
            #expect(queue.target.hasPrefix(drop.server.url), "\(queue)")
        }
    }

    @Test func secondMountOfATargetWaitsForTheFirst() async throws {
        try await withDrop { drop in
            drop.target.behave(.refuse(503))
            try await drop.put("a.txt", "x\n")
            let second = try drop.scratch.directory("second")
            let source = "drop+\(drop.server.url)/upload"
            let program = try drop.mount.start(
                try SkyfsMount.program, "mount", "-f", "-o", DropScene.quick, source, second)
            defer { program.killGroup() }
            try await Task.sleep(for: .seconds(1))
            #expect(program.exit == nil && !MountTable.isMounted(second))
            try await drop.end()
            #expect(await eventually(within: .seconds(20)) { MountTable.isMounted(second) || program.exit != nil })
            let mount = SkyfsMount(path: second, scratch: drop.scratch, process: program, arguments: [])
            #expect(try await mount.list().contains("a.txt"), "\(program.errors)")
            drop.target.behave(.accept)
            #expect(await drop.arrive(1))
            let complaint = await mount.end()
            #expect(complaint == nil, "\(complaint ?? "")")
        }
    }

    @Test func secondMountOfATargetIsRefusedWhileTheFirstStays() async throws {
        try await withDrop { drop in
            let second = try drop.scratch.directory("second")
            let started = Instant.now()
            let refused = try await Self.skyfs(
                drop, "mount", "-f", "-o", DropScene.quick, "drop+\(drop.server.url)/upload", second)
            #expect(refused.status != 0 && refused.status != nil, "\(refused)")
            #expect(refused.errors.hasPrefix("skyfs: "), "\(refused)")
            #expect(Instant.now() - started > .seconds(8))
            #expect(!MountTable.isMounted(second))
            try await drop.put("a.txt", "x\n")
            #expect(await drop.arrive(1))
        }
    }

    /// Another target has a queue of its own.
    @Test func mountsOfTwoTargetsDoNotMeet() async throws {
        try await withDrop { drop in
            let other = UploadTarget()
            other.install(on: drop.server, at: "/other")
            let second = try drop.scratch.directory("second")
            let mount = try await SkyfsMount.start(
                ["drop+\(drop.server.url)/other"], options: DropScene.quick, at: second, in: drop.scratch)
            try await drop.put("a.txt", "x\n")
            let copied = try await mount.sh(#"echo y > "$M/b.txt""#)
            #expect(copied.succeeded, "\(copied)")
            #expect(await drop.arrive(1))
            #expect(await eventually { other.uploads.count == 1 })
            #expect(other.uploads.first?.file?.fileName == "b.txt" && drop.names == ["a.txt"])
            let complaint = await mount.end()
            #expect(complaint == nil, "\(complaint ?? "")")
        }
    }
}
