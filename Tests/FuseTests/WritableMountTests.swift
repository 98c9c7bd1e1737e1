import Glibc
import Platform
import Testing

@testable import Fuse

/// Programs that write to a real mount.
struct WritableMountTests {
    private let folder = WritableFolder()

    private func mounted() throws -> Mounted { try Mounted(folder) { $0.readOnly = false } }

    private func end(_ mounted: Mounted) {
        mounted.session.stop()
        #expect(mounted.end())
    }

    /// What was noted so far, without what the kernel sends at a time of its own.
    private var calls: [String] {
        folder.calls.filter { !$0.hasPrefix("forget") && !$0.hasPrefix("release") }
    }

    private func contents(_ name: FileName) -> [UInt8]? {
        folder.record.update { record in record.names[name].flatMap { record.nodes[$0] } }?.contents
    }

    /// Commands, what they print, and the requests they lead to; "file" (2) holds "12345" beforehand.
    @Test(arguments: [
        ("umask 027; : > new", "", ["create 1 new 640 write truncate", "flush 3", "flush 3"]),
        (
            "echo 67 >> file; cat file", "1234567\n",
            ["open 2 write append", "flush 2", "write 2 5 3", "flush 2", "open 2 read"]
        ),
        (": > file; stat -c %s file", "0\n", ["open 2 write truncate", "flush 2", "flush 2"]),
        ("truncate -s 3 file; cat file", "123", ["open 2 write", "change 2 size 3 open", "flush 2", "open 2 read"]),
        ("mkdir -m 700 folder && rmdir folder", "", ["makeDirectory 1 folder 700", "removeDirectory 1 folder"]),
        ("mv file other && rm other; ls", "", ["rename 1 file 1 other 1", "removeFile 1 other"]),
        ("chmod 4600 file; stat -c %a file", "600\n", ["change 2 permissions 600"]),
        ("chown 7:8 file", "", ["change 2 user 7 group 8"]),
        (
            "touch -d '2024-02-03 04:05:06.789012345 UTC' file; stat -c %.9Y file", "1706933106.789012345\n",
            ["open 2 write", "flush 2", "change 2 modified 1706933106789012345", "flush 2"]
        ),
        (
            "fallocate -l 9 file; stat -c %s file", "9\n",
            ["open 2 both", "allocate 2 0 0 9", "synchronize 2", "flush 2"]
        ),
        ("sync file", "", ["open 2 read", "synchronize 2"]),
    ])
    func commandsBecomeRequests(command: String, output: String, requests: [String]) throws {
        pwrite(folder.add("file").descriptor, "12345", 5, 0)
        let mounted = try mounted()
        #expect(try ChildProcess.output(command, in: mounted.path) == output)
        end(mounted)
        #expect(calls == requests)
    }

    @Test func linksAndPipesAreNotPermitted() throws {
        folder.add("file")
        let mounted = try mounted()
        for command in ["ln -s file link", "ln file link", "mkfifo link"] {
            #expect(try ChildProcess.output(command, in: mounted.path).contains("not permitted"), "\(command)")
        }
        end(mounted)
        #expect(calls == ["makeSpecial 1", "makeSpecial 1", "makeSpecial 1"])
    }

    @Test func copiesKeepBytesAndTimes() throws {
        let mounted = try mounted()
        // Its own source, and its own time: `cp -p` and `cmp` of the result, then the times of both.
        let commands = """
            cp -p \(#filePath) copy && cmp \(#filePath) copy && stat -c %.9Y \(#filePath) copy | uniq | wc -l
            """
        #expect(try ChildProcess.output(commands, in: mounted.path) == "1\n")
        end(mounted)
    }

    /// With 1 MiB a request, and without a GETXATTR before each.
    @Test func largeWritesTakeFewRequests() throws {
        let mounted = try mounted()
        #expect(
            try ChildProcess.output("dd if=/dev/zero of=big bs=4M count=2 status=none", in: mounted.path) == "")
        end(mounted)
        #expect(calls.filter { $0.hasPrefix("write") } == (0..<8).map { "write 2 \($0 << 20) \(1 << 20)" })
        #expect(contents("big") == [UInt8](repeating: 0, count: 8 << 20))
        #expect(folder.record.update { $0.attributeReads } <= 1)
    }

    @Test func fullDiskReachesTheProgram() throws {
        folder.add("file", descriptor: try SmallDisk.file())
        let mounted = try mounted()
        let words = try ChildProcess.output("head -c 100000 /dev/zero > file", in: mounted.path)
        #expect(words.contains("No space left on device"))
        end(mounted)
    }

    /// What a shared mapping holds may come after the last FLUSH, but before RELEASE.
    @Test func mappedBytesArriveBeforeRelease() throws {
        pwrite(folder.add("file").descriptor, "12345", 5, 0)
        let mounted = try mounted()
        let script = """
            import ctypes, os
            f = os.open('file', os.O_RDWR)
            library = ctypes.CDLL(None)
            library.mmap.restype = ctypes.c_void_p
            address = library.mmap(None, 5, 3, 1, f, 0)
            os.close(f)
            ctypes.memmove(address + 1, b'xy', 2)
            """
        #expect(try ChildProcess.output("python3 -c \"\(script)\"", in: mounted.path) == "")
        #expect(folder.call("release 2") != nil)
        end(mounted)
        #expect(folder.calls.filter { !$0.hasPrefix("forget") }.suffix(2) == ["write 2 0 5", "release 2"])
        #expect(contents("file") == Array("1xy45".utf8))
    }

    @Test(arguments: [
        ("exec 3>new; echo half >&3; kill -9 $$", true),
        ("exec 3>new; echo half >&3; kill -TERM $$", true),
        ("ulimit -c 0; exec 3>new; echo half >&3; kill -SEGV $$", true),
        ("exec 3>new; echo whole >&3", false),
        ("exec 3>new; echo whole >&3; exit 3", false),
        ("trap 'exit 3' TERM; exec 3>new; echo whole >&3; kill -TERM $$; sleep 600", false),
        ("exec 3>new; echo whole >&3; exec 3>&-; kill -9 $$", false),
    ])
    func killedWriterIsSeen(command: String, isKilled: Bool) throws {
        let mounted = try mounted()
        #expect(try ChildProcess(command, in: mounted.path).wait() >= (isKilled ? 128 : 0))
        #expect(folder.call("release 2") != nil)
        end(mounted)
        #expect(calls.filter { $0.hasSuffix("killed") } == (isKilled ? ["flush 2 killed"] : []))
        #expect(calls.contains { $0.hasPrefix("write 2 0") })
    }

    @Test func closeWaitsForFlushAndGetsItsError() throws {
        let folder = WritableFolder(parksFlush: true)
        let mounted = try Mounted(folder) { $0.readOnly = false }
        let writer = try ChildProcess("exec dd if=/dev/zero of=new bs=1 count=1 status=none", in: mounted.path)
        try #require(folder.parkedReply()).take()?.fail(.io)
        #expect(writer.read().contains("Input/output error"))
        #expect(writer.wait() == 1)
        end(mounted)
    }

    @Test func interruptReachesAParkedFlush() throws {
        let folder = WritableFolder(parksFlush: true)
        let mounted = try Mounted(folder) { $0.readOnly = false }
        let writer = try ChildProcess("exec dd if=/dev/zero of=new bs=1 count=1 status=none", in: mounted.path)
        let parked = try #require(folder.parkedReply())
        writer.terminate()
        #expect(folder.call("interrupt 2") != nil)
        parked.take()?.fail(.interrupted)
        // The signal ends it; the file is closed already, so no other FLUSH follows.
        #expect(writer.wait() == 128 + SIGTERM)
        #expect(folder.call("release 2") != nil)
        end(mounted)
        #expect(!folder.calls.contains { $0.hasSuffix("killed") })
    }

    /// Every thread but the one that calls exit ends as if by a signal, and the last one closes the files.
    @Test(arguments: [("os._exit(0)", false), ("os._exit(3)", false), ("os.kill(os.getpid(), 9)", true)])
    func endOfAProcessWithThreads(ending: String, isKilled: Bool) throws {
        let mounted = try mounted()
        let script = """
            import os, threading, time
            f = os.open('new', os.O_WRONLY | os.O_CREAT)
            os.write(f, b'x')
            for _ in range(8): threading.Thread(target=time.sleep, args=(600,)).start()
            \(ending)
            """
        _ = try ChildProcess("exec python3 -c \"\(script)\"", in: mounted.path).wait()
        #expect(folder.call("release 2") != nil)
        end(mounted)
        #expect(calls.filter { $0.hasPrefix("flush") } == [isKilled ? "flush 2 killed" : "flush 2"])
    }
}
