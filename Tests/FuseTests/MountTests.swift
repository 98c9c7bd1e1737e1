import Foundation
import Platform
import Testing

@testable import Fuse

/// Real mounts. Whatever reads them runs in another process: a process that waits for its own mount cannot be killed.
struct MountTests {
    private let handler = StubHandler()

    /// A mounted session that runs on its own thread until `end`.
    private final class Mounted: Sendable {
        let folder: TemporaryFolder
        let session: Session
        private let hasEnded = Condition(false)
        private let thread: Platform.Thread

        init(_ handler: any Handler, _ change: (inout MountOptions) -> Void = { _ in }) throws {
            folder = try TemporaryFolder()
            var options = MountOptions(fsname: "http://h/a,b")
            change(&options)
            let session = try Session(
                handler: handler, options: options, mountPoint: folder.path, log: Log(.descriptor(2)))
            self.session = session
            let hasEnded = hasEnded
            thread = try Platform.Thread.start(name: "session") {
                session.run()
                hasEnded.update { $0 = true }
            }
        }

        /// For the test that failed before `end`.
        deinit { umount2(folder.path, Int32(MNT_DETACH)) }

        var path: String { folder.path }

        /// Waits until `run` has returned, then takes the mount down; false if it does not return.
        func end() -> Bool {
            guard hasEnded.wait(until: { $0 }, before: .now() + .seconds(20), { _ in }) != nil else { return false }
            thread.join()
            session.unmount()
            return MountTable.current().mount(at: path) == nil
        }
    }

    private func start(_ command: String, in path: String) throws -> (process: Process, output: Pipe) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec 2>&1; cd \"$0\" && \(command)", path]
        process.standardOutput = output
        // The threads that run tests block most signals, and a child would inherit that.
        var none = sigset_t()
        var earlier = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &earlier)
        defer { pthread_sigmask(SIG_SETMASK, &earlier, nil) }
        try process.run()
        return (process, output)
    }

    private func output(_ command: String, in path: String) throws -> String {
        let (process, output) = try start(command, in: path)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    @Test func programsSeeFilesAndAttributes() throws {
        let mounted = try Mounted(handler)
        #expect(try output("cat file", in: mounted.path) == "0123456789")
        #expect(
            try output("stat -c '%i %s %a %h %b %Y %F' file", in: mounted.path)
                == "1002 10 644 1 1 1700000000 regular file\n")
        let listing = try output("ls -a1p", in: mounted.path)
        #expect(listing == "./\n../\nfile\nfolder/\nparked\n")
        #expect(try output("stat -f -c %b .", in: mounted.path) == "77\n")
        let failures = try output("cat missing absent dropped", in: mounted.path).split(separator: "\n")
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
            #expect(try output(command, in: mounted.path).contains("Read-only file system"), "\(command)")
        }
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func writableMountRefusesExtendedAttributes() throws {
        let mounted = try Mounted(handler) { $0.readOnly = false }
        let script = "import os\ntry: os.setxattr('file', 'user.x', b'1')\nexcept OSError as e: print(e.errno)"
        #expect(try output("python3 -c \"\(script)\"", in: mounted.path) == "\(EOPNOTSUPP)\n")
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func stopWhileAReadIsParked() throws {
        let mounted = try Mounted(handler)
        let (process, pipe) = try start("cat parked", in: mounted.path)
        let parked = try #require(handler.parkedReply())
        mounted.session.stop()
        #expect(mounted.end())
        // The reader is let go by the unmount, before anybody answers.
        #expect(!pipe.fileHandleForReading.readDataToEndOfFile().isEmpty)
        process.waitUntilExit()
        #expect(process.terminationStatus != 0)
        parked.take()?.fail(.io)
    }

    @Test func interruptReachesAParkedRead() throws {
        let mounted = try Mounted(handler)
        let (process, _) = try start("exec cat parked", in: mounted.path)
        let parked = try #require(handler.parkedReply())
        // Not SIGINT: background jobs of a shell ignore that.
        process.terminate()
        #expect(handler.waitForInterrupt())
        parked.take()?.fail(.io)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func unmountFromOutsideEndsRun() throws {
        let mounted = try Mounted(handler)
        #expect(try output("cat file", in: mounted.path) == "0123456789")
        #expect(try output("fusermount3 -u \(mounted.path)", in: "/") == "")
        #expect(mounted.end())
    }

    @Test func abortedConnectionLeavesNoDeadMount() throws {
        let mounted = try Mounted(handler)
        #expect(try output("cat file", in: mounted.path) == "0123456789")
        let device = try #require(MountTable.current().mount(at: mounted.path)?.device)
        let minor = try #require(device.split(separator: ":").last)
        let control = try TemporaryFolder()
        let abort = "mount -t fusectl none $0 && echo 1 > $0/\(minor)/abort; cd / && umount $0"
        #expect(try output(abort, in: control.path) == "")
        #expect(mounted.end())
    }

    @Test func busyMountGoesAwayAllTheSame() throws {
        let mounted = try Mounted(handler)
        let (process, pipe) = try start("exec 3<file; echo here; exec sleep 600", in: mounted.path)
        #expect(pipe.fileHandleForReading.availableData == Data("here\n".utf8))
        mounted.session.stop()
        #expect(mounted.end())
        process.terminate()
        process.waitUntilExit()
    }

    @Test func lookupsOfOneDirectoryRunInParallel() throws {
        let slow = ParkingLookups()
        let mounted = try Mounted(slow)
        let processes = try (0..<3).map { try start("stat name\($0)", in: mounted.path).process }
        #expect(slow.parked.wait(until: { $0.count == 3 }, before: .now() + .seconds(20), { _ in }) != nil)
        for parked in slow.parked.update({ $0 }) { parked.take()?.fail(.noEntry) }
        for process in processes { process.waitUntilExit() }
        mounted.session.stop()
        #expect(mounted.end())
    }

    @Test func readAheadIsRaised() throws {
        let mounted = try Mounted(handler)
        mounted.session.raiseReadAhead(to: 768)
        #expect(try output("cat file", in: mounted.path) == "0123456789")
        let device = try #require(MountTable.current().mount(at: mounted.path)?.device)
        #expect(try output("cat /sys/class/bdi/\(device)/read_ahead_kb", in: "/") == "768\n")
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
        let line = try output("grep \(mounted.path) /proc/mounts", in: "/")
        #expect(line.hasPrefix("http://h/a,b \(mounted.path) fuse.skyfs ro,nosuid,nodev,"))
        mounted.session.stop()
        #expect(mounted.end())
    }
}
