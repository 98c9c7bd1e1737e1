import LoopbackServer
import MountHarness
import Platform
import Testing

/// Folders of a drop folder, and what many files in them leave behind.
struct DropPlaceTests {
    /// Many files wait, few are open; and when all is over nothing is remembered of them but their receipts.
    @Test func waitingFilesHoldNoDescriptors() async throws {
        try await withDrop { drop in
            drop.server.stop()
            try await drop.must(
                #"mkdir "$M/d"; for i in $(seq 200); do echo $i > "$M/d/$i.txt"; done; cat "$M"/d/* >/dev/null"#)
            try await drop.mount.dropQueue { $0.pending + $0.sending == 200 }
            let open = try await drop.mount.text(of: "ls /proc/\(drop.mount.process.pid)/fd | wc -l")
            #expect(Int(open.dropLast()) ?? 999 < 80, "\(open)")
            try await drop.must(#"rm "$M"/d/[12]*; mkdir "$M/e"; mv "$M"/d/3.txt "$M/e"; rmdir "$M/e" || true"#)
            try drop.server.start()
            try await drop.drain()
            #expect(try await drop.list("d") == [])
            try await drop.must(#"rm -r "$M"/sent/*; rmdir "$M/d" "$M/e""#)
            try await drop.mount.dropQueue { $0.nodes == 3 }
        }
    }

    @Test func foldersAreMovedOnlyAsDeepAsTheyCanBeMade() async throws {
        try await withDrop { drop in
            let moved = try await drop.mount.python(
                """
                import errno, os, sys
                os.chdir(sys.argv[1])
                deep = "/".join(["d"] * 64)
                os.makedirs(deep); os.makedirs("e/f")
                for make in [lambda: os.mkdir(deep + "/d"), lambda: os.rename("e", deep[2:] + "/e")]:
                    try: make()
                    except OSError as error: assert error.errno in (errno.ENAMETOOLONG, errno.ENOENT), error
                    else: raise AssertionError("too deep")
                os.rename("e", "/".join(["d"] * 62) + "/e")
                open("/".join(["d"] * 62) + "/e/f/" + "n" * 255, "w").write("x")
                try: os.rename("d", ".skyfs")
                except OSError as error: assert error.errno in (errno.EBUSY, errno.ENOTEMPTY), error
                """)
            #expect(moved.succeeded, "\(moved)")
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == [String(repeating: "n", count: 255) + " 1"])
        }
    }

    /// Its path is sent along, so a file that is being sent from a folder goes up again when that is renamed.
    @Test func fileOfAFolderThatIsRenamedGoesUpWithItsLastPath() async throws {
        try await withDrop(sources: { server, _ in ["--drop-path-field", "path", "drop+\(server.url)/upload"] }) {
            drop in
            drop.target.script([UploadBehaviour.accept.at(bytesPerSecond: 500)])
            try await drop.must(#"mkdir "$M/old""#)
            try await drop.put("old/a.bin", pattern(0..<1_000_000))
            #expect(await eventually { drop.target.attempts.first?.bytesRead ?? 0 > 0 })
            try await drop.must(#"mv "$M/old" "$M/new""#)
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(
                drop.uploads.map { String(decoding: $0.fields.last?.content ?? [], as: UTF8.self) } == ["new/a.bin"])
        }
    }

    /// The browser was still at it when the program ended.
    @Test func placeholderStaysBackAcrossARestart() async throws {
        try await withDrop { drop in
            try await drop.must(#": > "$M/a.iso.part"; : > "$M/a.iso"; : > "$M/b.iso"; echo x > "$M/b.iso.part""#)
            try await drop.put("c.iso", "whole\n")
            try await drop.must(#": > "$M/c.iso.part""#)
            try await drop.mount.dropQueue { $0.sent == 1 && $0.sending == 0 }
            try await drop.kill()
            try await drop.mountAgain()
            try await drop.letTimePass()
            #expect(drop.names == ["c.iso"])
            try await drop.must(#"rm "$M"/c.iso.part; for f in a b; do mv "$M/$f.iso.part" "$M/$f.iso"; done"#)
            #expect(await drop.arrive(3))
            try await drop.drain()
            #expect(drop.sizes == ["a.iso 0", "b.iso 2", "c.iso 6"])
        }
    }
}
