import Glibc
import Platform
import Testing

@testable import Fuse

/// Real mounts. Whatever reads them runs in another process: a process that waits for its own mount cannot be killed.
struct MountTests {
    private let handler = StubHandler()

    @Test func programsSeeFilesAndAttributes() throws {
        let mounted = try Mounted(handler)
        #expect(try ChildProcess.output("cat file", in: mounted.path) == "0123456789")
        #expect(
            try ChildProcess.output("stat -c '%i %s %a %h %b %Y %F' file", in: mounted.path)
                == "1002 10 644 1 1 1700000000 regular file\n")
        let listing = try ChildProcess.output("ls -a1p", in: mounted.path)
        #expect(listing == "./\n../\nfile\nfolder/\nparked\n")
        #expect(try ChildProcess.output("stat -f -c %b .", in: mounted.path) == "77\n")
        let failures = try ChildProcess.output("cat missing absent dropped", in: mounted.path).split(separator: "\n")
        #expect(
            failures == [
                "cat: missing: No such file or directory", "cat: absent: No such file or directory",
                "cat: dropped: Input/output error",
            ])
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func readOnlyMountRefusesChanges() throws {
        let mounted = try Mounted(handler)
        for command in ["touch file", "mkdir new", "rm file", "echo >> file", "mv file other"] {
            #expect(try ChildProcess.output(command, in: mounted.path).contains("Read-only file system"), "\(command)")
        }
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func writableMountRefusesExtendedAttributes() throws {
        let mounted = try Mounted(handler) { $0.readOnly = false }
        let script = "import os\ntry: os.setxattr('file', 'user.x', b'1')\nexcept OSError as e: print(e.errno)"
        #expect(try ChildProcess.output("python3 -c \"\(script)\"", in: mounted.path) == "\(EOPNOTSUPP)\n")
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func stopWhileAReadIsParked() throws {
        let mounted = try Mounted(handler)
        let reader = try ChildProcess("exec cat parked", in: mounted.path)
        let parked = try #require(handler.parkedReply())
        mounted.session.stop()
        #expect(mounted.end())
        // The reader is let go by the unmount, before anybody answers.
        #expect(reader.wait() == 1)
        #expect(reader.read().hasPrefix("cat: parked: "))
        parked.take()?.fail(.io)
    }

    @Test func interruptReachesAParkedRead() throws {
        let mounted = try Mounted(handler)
        let reader = try ChildProcess("exec cat parked", in: mounted.path)
        let parked = try #require(handler.parkedReply())
        reader.terminate()
        #expect(handler.waitForInterrupt())
        parked.take()?.fail(.io)
        #expect(reader.wait() == 128 + SIGTERM)
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func unmountFromOutsideEndsRun() throws {
        let mounted = try Mounted(handler)
        #expect(try ChildProcess.output("cat file", in: mounted.path) == "0123456789")
        #expect(try ChildProcess.output("fusermount3 -u \(mounted.path)", in: "/") == "")
        #expect(mounted.end())
    }

    @Test func abortedConnectionLeavesNoDeadMount() throws {
        let mounted = try Mounted(handler)
        #expect(try ChildProcess.output("cat file", in: mounted.path) == "0123456789")
        let device = try #require(MountTable.current().mount(at: mounted.path)?.device)
        let minor = try #require(device.split(separator: ":").last)
        let control = try TemporaryFolder()
        let abort = "mount -t fusectl none $0 && echo 1 > $0/\(minor)/abort; cd / && umount $0"
        #expect(try ChildProcess.output(abort, in: control.path) == "")
        #expect(mounted.end())
    }

    @Test func busyMountGoesAwayAllTheSame() throws {
        let mounted = try Mounted(handler)
        let user = try ChildProcess("exec 3<file; echo here; exec sleep 600", in: mounted.path)
        #expect(user.read { $0.hasSuffix("\n") } == "here\n")
        mounted.session.stop()
        #expect(mounted.end())
        user.terminate()
        #expect(user.wait() == 128 + SIGTERM)
    }

    @Test func lookupsOfOneDirectoryRunInParallel() throws {
        let slow = ParkingLookups()
        let mounted = try Mounted(slow)
        let readers = try (0..<3).map { try ChildProcess("exec stat name\($0)", in: mounted.path) }
        #expect(slow.parked.wait(until: { $0.count == 3 }, before: .now() + .seconds(20), { _ in }) != nil)
        for parked in slow.parked.update({ $0 }) { parked.take()?.fail(.noEntry) }
        for reader in readers { #expect(reader.wait() == 1) }
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func readAheadIsRaised() throws {
        let mounted = try Mounted(handler)
        mounted.session.raiseReadAhead(to: 768)
        #expect(try ChildProcess.output("cat file", in: mounted.path) == "0123456789")
        let device = try #require(MountTable.current().mount(at: mounted.path)?.device)
        #expect(try ChildProcess.output("cat /sys/class/bdi/\(device)/read_ahead_kb", in: "/") == "768\n")
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func mountingTwiceIsRefused() throws {
        let mounted = try Mounted(handler)
        #expect(throws: MountError.alreadyMounted(mounted.path)) {
            try Session(
                handler: handler, options: MountOptions(fsname: "x"), mountPoint: mounted.path, log: Log(.nowhere))
        }
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func sourceIsShownWhole() throws {
        let mounted = try Mounted(handler)
        let line = try ChildProcess.output("grep \(mounted.path) /proc/mounts", in: "/")
        #expect(line.hasPrefix("http://h/a,b \(mounted.path) fuse.skyfs ro,nosuid,nodev,"))
        mounted.session.stop()
        #expect(mounted.end())
    }
}
