import LoopbackServer
import MountHarness
import Testing

/// A spool whose disk is full.
struct DropSpaceTests {
    @Test func fullDiskFailsTheCopyAndNotTheQueue() async throws {
        try await withTemporaryDisk(megabytes: 24) { disk in
            try await withDrop(DropScene.quick + ",spool=\(disk)/spool") { drop in
                drop.server.stop()
                try await drop.put("first.bin", pattern(0..<1_000_000))
                let copied = try await drop.sh(#"head -c 40000000 /dev/zero > "$T/big"; cp "$T/big" "$M/big.bin""#)
                #expect(copied.fails(with: "No space left on device"), "\(copied)")
                // A part of a file is never sent, and the journal still has room: names can be made and removed.
                try await drop.must(#"rm -f "$M/big.bin" "$M/failed/big.bin"; mkdir "$M/d"; rmdir "$M/d""#)
                try await drop.put("second.bin", pattern(1..<1_000_001))
                try drop.server.start()
                #expect(await drop.arrive(2))
                try await drop.drain()
                #expect(drop.sizes == ["first.bin 1000000", "second.bin 1000000"])
                #expect(mismatch(drop.uploads.first?.file?.content ?? [], pattern(0..<1_000_000)) == nil)
            }
        }
    }

    /// What was cut off by the full disk does not go up as if it were whole.
    @Test func cutOffFileIsSetAside() async throws {
        try await withTemporaryDisk(megabytes: 24) { disk in
            try await withDrop(DropScene.quick + ",spool=\(disk)/spool") { drop in
                let copied = try await drop.sh(#"head -c 40000000 /dev/zero > "$T/big"; cp "$T/big" "$M/big.bin""#)
                #expect(copied.fails(with: "No space left on device"), "\(copied)")
                try await drop.mount.dropQueue { $0.isEmpty }
                #expect(drop.attempts.isEmpty)
                #expect(try await drop.mount.text("failed/big.bin.error.txt").contains("incomplete"))
            }
        }
    }

    /// Also when a shell has flushed the empty file before.
    @Test func textThatDidNotFitIsSetAside() async throws {
        try await withTemporaryDisk(megabytes: 24) { disk in
            try await withDrop(DropScene.quick + ",spool=\(disk)/spool") { drop in
                let written = try await drop.sh(
                    #"exec 3> "$M/a.txt"; : >&3; fallocate -l 21M '\#(disk)/filler'; echo text >&3"#)
                #expect(written.errors.contains("No space left on device"), "\(written)")
                try await drop.mount.dropQueue { $0.isEmpty }
                #expect(drop.attempts.isEmpty)
                #expect(try await drop.mount.list("failed") == ["a.txt", "a.txt.error.txt"])
            }
        }
    }

    @Test func everyFileThatFittedArrives() async throws {
        try await withTemporaryDisk(megabytes: 24) { disk in
            try await withDrop(DropScene.quick + ",spool=\(disk)/spool") { drop in
                drop.server.stop()
                let copied = try await drop.sh(
                    #"""
                    head -c 1000000 /dev/urandom > "$T/r"
                    for i in $(seq 40); do { echo $i; cat "$T/r"; } > "$T/$i"; cp "$T/$i" "$M/$i" 2>/dev/null && echo $i || break; done
                    """#)
                let fitted = copied.lines
                #expect(fitted.count >= 10 && fitted.count < 24, "\(copied)")
                // Room is left for the journal.
                try await drop.must(#"mv "$M/1" "$M/one""#)
                try await drop.kill()
                try await drop.mountAgain()
                try drop.server.start()
                #expect(await drop.arrive(fitted.count))
                try await drop.drain()
                #expect(drop.names == (fitted.dropFirst() + ["one"]).sorted())
                #expect(
                    drop.uploads.allSatisfy { upload in
                        let first = String(decoding: upload.file?.content.prefix { $0 != 10 } ?? [], as: UTF8.self)
                        return first == (upload.file?.fileName == "one" ? "1" : upload.file?.fileName)
                            && upload.file?.size == Int64(1_000_001 + first.utf8.count)
                    })
                try await drop.put("after.txt", "x\n")
                #expect(await drop.arrive(fitted.count + 1))
            }
        }
    }
}
