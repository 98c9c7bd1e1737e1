import LoopbackServer
import MountHarness
import Testing

/// `-o upload=wait`: closing a file waits for the server's verdict on it.
struct DropVerdictTests {
    private static let waiting = DropScene.quick + ",upload=wait"

    @Test func copySucceedsOnceTheServerHasTheFile() async throws {
        try await withDrop(Self.waiting) { drop in
            drop.target.behave(UploadBehaviour.accept.after(.milliseconds(300)))
            for number in 1...3 {
                try await drop.put("\(number).txt", "\(number)\n")
                #expect(drop.uploads.count == number)
                #expect(drop.uploads.last?.status == 201)
            }
            try await drop.drain()
            #expect(drop.attempts.count == 3)
            #expect(try await drop.mount.list("sent").count == 3)
        }
    }

    @Test(arguments: [400, 413, 200])
    func copyFailsWhenTheServerRefuses(status: Int) async throws {
        try await withDrop(Self.waiting) { drop in
            let answer = Answer(
                status: status, headers: [("Content-Type", "application/json")], body: .text("{\"error\":\"no\"}"))
            drop.target.behave(.refuse(answer))
            let copied = try await drop.sh(#"echo x > "$T/a.txt"; cp "$T/a.txt" "$M/a.txt""#)
            #expect(copied.status == 1 && !copied.errors.isEmpty, "\(copied)")
            try await drop.mount.dropQueue { $0.isEmpty && $0.failed == 1 }
            #expect(try await drop.mount.text("failed/a.txt") == "x\n")
            #expect(drop.attempts.count == 1)
        }
    }

    @Test func ctrlCEndsTheWaitAndNotTheUpload() async throws {
        try await withDrop(Self.waiting) { drop in
            drop.server.stop()
            try drop.scratch.file("a.txt", "x\n")
            let copier = try drop.mount.start("cp", "\(drop.scratch.path)/a.txt", "\(drop.mount.path)/a.txt")
            defer { copier.killGroup() }
            try await drop.mount.dropQueue { $0.files.contains { $0.attempts >= 1 } }
            #expect(copier.exit == nil)
            copier.signal(2)
            #expect(await copier.wait(within: .seconds(20)) != nil)
            try drop.server.start()
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["a.txt 2"])
        }
    }

    /// A program gives its files temporary names so that nothing happens to them yet.
    @Test func temporaryNamesAndRenamesDoNotWait() async throws {
        try await withDrop(Self.waiting) { drop in
            drop.server.stop()
            try await drop.must(#"echo x > "$M/.a.txt.swp"; mv "$M/.a.txt.swp" "$M/a.txt""#, limit: .seconds(20))
            try await drop.must(#"mkdir "$M/d"; mv "$M/a.txt" "$M/d/b.txt"; cat "$M/d/b.txt""#, limit: .seconds(20))
            try drop.server.start()
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["b.txt 2"])
        }
    }

    /// Handles that wrote nothing have nothing to wait for.
    @Test func readersAndEmptyClosesDoNotWait() async throws {
        try await withDrop(Self.waiting) { drop in
            drop.server.stop()
            try await drop.must(#"echo x > "$M/.a.swp"; mv "$M/.a.swp" "$M/a.txt""#, limit: .seconds(20))
            try await drop.must(#"cat "$M/a.txt"; exec 3>>"$M/a.txt"; exec 3>&-"#, limit: .seconds(20))
            try drop.server.start()
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["a.txt 2"])
        }
    }

    /// A shell closes a copy of the handle before the first byte is written.
    @Test func redirectionsOfAShellSendTheirTextOnce() async throws {
        try await withDrop(Self.waiting) { drop in
            try await drop.must(#"echo one > "$M/a.txt"; : > "$M/empty.txt""#)
            #expect(drop.attempts.map { $0.file?.text } == ["one\n"])
            #expect(await drop.arrive(2))
            try await drop.drain()
            #expect(drop.sizes == ["a.txt 4", "empty.txt 0"])
        }
    }

    @Test func verdictOnlyComesWithTheAnswerToTheseBytes() async throws {
        try await withDrop(Self.waiting) { drop in
            drop.target.script([.refuse(503), .refuse(500), .accept, .refuse(422)])
            try await drop.put("a.txt", "one\n")
            #expect(drop.attempts.map(\.status) == [503, 500, 201])
            let copied = try await drop.sh(#"echo two > "$T/two"; cp "$T/two" "$M/a.txt""#)
            #expect(copied.status == 1, "\(copied)")
            try await drop.mount.dropQueue { $0.isEmpty && $0.failed == 1 }
            #expect(try await drop.mount.text("failed/a.txt") == "two\n")
        }
    }
}
