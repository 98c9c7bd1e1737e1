import LoopbackServer
import MountHarness
import Testing

/// Programs as they are, and what others do, step by step as they do it.
struct DropProgramTests {
    @Test(arguments: [
        #"rsync "$T/f.bin" "$M/""#, #"rsync -a --inplace "$T/f.bin" "$M/""#, #"rsync -rlt "$T/f.bin" "$M/""#,
        #"cp -a "$T/f.bin" "$M/""#, #"cp --preserve=all "$T/f.bin" "$M/f.bin""#, #"mv "$T/f.bin" "$M/f.bin""#,
        #"dd if="$T/f.bin" of="$M/f.bin" bs=70000 conv=fsync status=none"#,
        #"dd if="$T/f.bin" of="$M/f.bin" bs=4096 oflag=dsync status=none"#, #"gio copy "$T/f.bin" "$M/f.bin""#,
        #"cat "$T/f.bin" > "$M/f.bin""#, #"tar -C "$T" -cf - f.bin | tar -C "$M" -xf -"#,
        #"install -m 600 "$T/f.bin" "$M/f.bin""#,
        #"python3 -c 'import shutil,sys; shutil.copy2(*sys.argv[1:])' "$T/f.bin" "$M/f.bin""#,
    ])
    func copyProgramsDeliverTheFileOnce(command: String) async throws {
        try await withDrop { drop in
            let content = pattern(0..<300_001)
            try drop.scratch.file("f.bin", content)
            let copied = try await drop.sh(command)
            #expect(copied.succeeded && copied.errors.isEmpty, "\(copied)")
            #expect(await drop.arrive(1))
            try await drop.letTimePass()
            try await drop.drain()
            #expect(drop.sizes == ["f.bin 300001"])
            #expect(mismatch(drop.uploads.first?.file?.content ?? [], content) == nil)
            #expect(drop.attempts.count == 1)
        }
    }

    /// Rewritten in place through a shared mapping, as `sqlite` and linkers do.
    @Test func mappedFilesGoUpAsTheyWereClosed() async throws {
        try await withDrop { drop in
            let mapped = try await drop.mount.python(
                """
                import mmap, os, sys
                fd = os.open(sys.argv[1] + "/m.bin", os.O_CREAT | os.O_RDWR)
                os.ftruncate(fd, 100_000)
                m = mmap.mmap(fd, 100_000)
                m[50_000:50_004] = b"mmap"
                m.flush()
                m.close()
                os.close(fd)
                """)
            #expect(mapped.succeeded, "\(mapped)")
            #expect(await drop.arrive(1))
            try await drop.drain()
            let content = try #require(drop.uploads.last?.file?.content)
            #expect(content.count == 100_000)
            #expect(content[50_000..<50_004].elementsEqual("mmap".utf8))
            #expect(content[..<50_000].allSatisfy { $0 == 0 })
        }
    }

    /// vim with `backupcopy=no`: it tries a name, moves the original away, writes a new file, and removes the original.
    @Test func editorThatMovesTheOriginalAwaySendsTheNewText() async throws {
        try await withDrop { drop in
            drop.server.stop()
            try await drop.put("doc.txt", "old\n")
            try await drop.must(
                #"""
                set -e; cd "$M"
                echo swap > .doc.txt.swp
                touch 4913; rm 4913
                mv doc.txt doc.txt~
                echo new > doc.txt; sync doc.txt
                chmod 644 doc.txt
                rm doc.txt~ .doc.txt.swp
                """#)
            try drop.server.start()
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["doc.txt 4"])
            #expect(drop.uploads.first?.file?.text == "new\n")
        }
    }

    /// GLib and many others: a new file under a temporary name, renamed over the old one.
    @Test(arguments: [".goutputstream-ABC123", "doc.txt.part", "#doc.txt#", ".doc.txt.kate-swp", ".doc.txt.Xy12Zw"])
    func editorThatSavesByRenameSendsTheNewText(temporary: String) async throws {
        try await withDrop { drop in
            drop.server.stop()
            try await drop.put("doc.txt", "old\n")
            try await drop.must(
                "set -e; cd \"$M\"; echo new > '\(temporary)'; sync '\(temporary)'; mv '\(temporary)' doc.txt")
            try drop.server.start()
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["doc.txt 4"])
            #expect(drop.uploads.first?.file?.text == "new\n")
        }
    }

    /// LibreOffice: a lock beside the document as long as it is open, and a file renamed over it when it is saved.
    @Test func officeLocksStayAndDoNotGoUp() async throws {
        try await withDrop { drop in
            let checked = try await drop.mount.python(
                """
                import fcntl, os, sys
                os.chdir(sys.argv[1])
                lock = os.open(".~lock.doc.odt#", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
                os.write(lock, b",me,host,01.12.2026 03:00,file:///srv/me;")
                os.close(lock)
                saved = open("lu1234abcd.tmp", "xb")
                fcntl.lockf(saved, fcntl.LOCK_EX)
                saved.write(b"odt" * 1000)
                saved.flush()
                os.fsync(saved.fileno())
                os.rename("lu1234abcd.tmp", "doc.odt")
                saved.close()
                """)
            #expect(checked.succeeded, "\(checked)")
            #expect(await drop.arrive(1))
            try await drop.letTimePass()
            #expect(drop.sizes == ["doc.odt 3000"])
            #expect(try await drop.list() == [".~lock.doc.odt#"])
            try await drop.must(#"rm "$M/.~lock.doc.odt#""#)
        }
    }

    /// Firefox: an empty file that keeps the name, and NAME.part beside it that is renamed over it in the end.
    @Test(arguments: ["part", "crdownload", "download"])
    func downloadsGoUpWhenTheyAreComplete(suffix: String) async throws {
        try await withDrop { drop in
            let content = pattern(0..<300_000)
            try drop.scratch.file("whole", content)
            try await drop.must("cd \"$M\"; head -c 100000 \"$T/whole\" > a.zip.\(suffix); : > a.zip")
            try await drop.letTimePass()
            try await drop.letTimePass()
            #expect(drop.attempts.isEmpty)
            try await drop.must("cd \"$M\"; tail -c +100001 \"$T/whole\" >> a.zip.\(suffix); mv a.zip.\(suffix) a.zip")
            #expect(await drop.arrive(1))
            try await drop.letTimePass()
            try await drop.drain()
            #expect(drop.sizes == ["a.zip 300000"])
            #expect(mismatch(drop.uploads.first?.file?.content ?? [], content) == nil)
        }
    }

    /// Chromium: a name of its own until the download is complete.
    @Test func downloadUnderAnotherNameGoesUpWhenItIsComplete() async throws {
        try await withDrop { drop in
            try await drop.must(#"cd "$M"; echo whole > "Unconfirmed 123.crdownload""#)
            try await drop.letTimePass()
            #expect(drop.attempts.isEmpty)
            try await drop.must(#"cd "$M"; mv "Unconfirmed 123.crdownload" b.zip"#)
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["b.zip 6"])
        }
    }

    /// The user gives up: the empty file that kept the name is then only an empty file.
    @Test func abandonedPlaceholderIsAnEmptyFile() async throws {
        try await withDrop { drop in
            try await drop.must(#"cd "$M"; echo half > a.zip.part; : > a.zip"#)
            try await drop.letTimePass()
            #expect(drop.attempts.isEmpty)
            try await drop.must(#"rm "$M/a.zip.part""#)
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["a.zip 0"])
        }
    }

    /// A program that opens twice, reads while it writes, or writes in several goes.
    @Test func fileGoesUpWhenItsLastWriterHasClosedIt() async throws {
        try await withDrop { drop in
            let program = try drop.mount.start(
                "/usr/bin/python3", "-c",
                """
                import os, sys, time
                name = os.environ["M"] + "/f.txt"
                first = os.open(name, os.O_CREAT | os.O_WRONLY)
                second = os.open(name, os.O_WRONLY | os.O_APPEND)
                reader = os.open(name, os.O_RDONLY)
                os.write(first, b"one")
                os.close(first)
                os.write(second, b"two")
                assert os.pread(reader, 10, 0) == b"onetwo"
                copy = os.dup(second)
                os.close(second)
                os.write(copy, b"three")
                os.close(copy)
                while not os.path.exists(os.environ["T"] + "/sent"): time.sleep(0.02)
                # An open reader does not hold the file back, and keeps what it has.
                assert os.pread(reader, 20, 0) == b"onetwothree"
                """)
            defer { program.killGroup() }
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.uploads.map { $0.file?.text } == ["onetwothree"])
            try drop.scratch.file("sent", "")
            #expect(await program.wait(within: .seconds(60)) == .status(0), "\(program.errors)")
        }
    }
}
