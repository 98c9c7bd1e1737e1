import Glibc
import LoopbackServer
import MountHarness
import Testing

@testable import skyfs

/// Drop folders as the command line makes, waits for and ends them.
struct DropCommandTests {
    /// An upload target on a server of its own, and a folder to run the program in.
    private func withTarget(
        at path: String = "/upload", _ body: (CommandScene, UploadTarget, String) async throws -> Void
    ) async throws {
        let server = try LoopbackServer()
        let target = UploadTarget()
        target.install(on: server, at: path)
        defer { server.stop() }
        try await withScene { scene async throws in
            try await body(scene, target, "drop+\(server.url)\(path)")
            // A failure may have left the mount; what is queued must not keep it from going.
            if MountTable.isMounted(scene.mountPoint) {
                _ = try await scene.skyfs("unmount", "--now", scene.mountPoint)
            }
            await expectNoProcess(scene)
        }
    }

    private func expectNoProcess(_ scene: CommandScene) async {
        var left: [Int32] = []
        for _ in 0..<500 {
            left = (try? await scene.processes()) ?? []
            if left.isEmpty { return }
        }
        Issue.record("still running: \(left)")
    }

    @Test func aFileGoesUpWithTheFormOfTheOptions() async throws {
        try await withTarget { scene, target, url async throws in
            let mounted = try await scene.skyfs(
                "mount", url, scene.mountPoint, "--drop-field", "datei", "--drop-param", "z=1", "--drop-param", "a=2",
                "--drop-path-field", "path", "-o", "settle=100ms")
            #expect(mounted.succeeded, "\(mounted)")
            let copied = try await scene.sh(#"mkdir "$M/sub" && echo hello > "$M/sub/a.txt" && "$S" wait "$M""#)
            #expect(copied.succeeded, "\(copied)")
            let upload = try #require(target.uploads.first)
            #expect(upload.file?.name == "datei" && upload.file?.fileName == "a.txt" && upload.file?.text == "hello\n")
            #expect(upload.fields.map { "\($0.name)=\($0.text)" } == ["z=1", "a=2", "path=sub/a.txt"])
            #expect(try await scene.sh(#"cat "$M/sent/sub/a.txt.json""#).text.contains("\"status\" : 201"))
            let status = try await scene.skyfs("status", scene.mountPoint)
            #expect(status.text.contains("drop"), "\(status)")
            try await scene.unmount()
        }
    }

    @Test func waitSaysWhatFailed() async throws {
        try await withTarget { scene, target, url async throws in
            target.behave(.refuse(413))
            #expect(try await scene.skyfs("mount", "up=\(url)", scene.mountPoint, "-o", "settle=0").succeeded)
            #expect(try await scene.skyfs("wait", scene.mountPoint).succeeded)
            #expect(try await scene.sh(#"echo hello > "$M/up/a.txt""#).succeeded)
            let wait = try await scene.skyfs("wait", scene.mountPoint)
            #expect(wait.status == 1 && wait.errors.contains("1 file could not be sent"), "\(wait)")
            #expect(wait.errors.contains("\(scene.mountPoint)/up/failed"), "\(wait)")
            // What failed is kept and does not hold the mount.
            let unmounted = try await scene.skyfs("unmount", scene.mountPoint)
            #expect(unmounted.succeeded && unmounted.errors.contains("1 file could not be sent"), "\(unmounted)")
        }
    }

    @Test func unmountWaitsAndSaysForWhat() async throws {
        try await withTarget { scene, target, url async throws in
            target.behave(.refuse(503))
            #expect(
                try await scene.skyfs("mount", url, scene.mountPoint, "-o", "settle=0,retry=100ms").succeeded)
            #expect(try await scene.sh(#"echo hello > "$M/a.txt""#).succeeded)
            #expect(await eventually { !target.attempts.isEmpty })
            let unmount = try scene.start("unmount", scene.mountPoint)
            #expect(await eventually { unmount.errors.contains("waiting for 1 file to go to http://127.0.0.1") })
            #expect(unmount.errors.contains("--now"), "\(unmount.errors)")
            #expect(MountTable.isMounted(scene.mountPoint))
            target.behave(.accept)
            #expect(await unmount.wait(within: .seconds(60)) == .status(0))
            #expect(!MountTable.isMounted(scene.mountPoint))
            #expect(target.uploads.count == 1)
        }
    }

    @Test func whatUnmountNowLeavesGoesUpWithTheNextMount() async throws {
        try await withTarget { scene, target, url async throws in
            target.behave(.refuse(503))
            #expect(try await scene.skyfs("mount", url, scene.mountPoint, "-o", "settle=0").succeeded)
            #expect(try await scene.sh(#"echo hello > "$M/a.txt""#).succeeded)
            #expect(try await scene.skyfs("unmount", "--now", scene.mountPoint).succeeded)
            target.behave(.accept)
            // At once: the mount waits for the spool until the process before has ended.
            #expect(try await scene.skyfs("mount", url, scene.mountPoint, "-o", "retry=100ms").succeeded)
            #expect(try await scene.skyfs("wait", scene.mountPoint).succeeded)
            #expect(target.uploads.map { $0.file?.text } == ["hello\n"])
            try await scene.unmount()
        }
    }

    @Test func hangUpTriesAgainAndTerminateEnds() async throws {
        try await withTarget { scene, target, url async throws in
            target.behave(.refuse(401))
            let mount = try scene.start("mount", "-f", url, scene.mountPoint, "-o", "settle=0")
            #expect(await eventually { MountTable.isMounted(scene.mountPoint) })
            #expect(try await scene.sh(#"echo hello > "$M/a.txt""#).succeeded)
            let paused = try await scene.sh(
                #"for i in $(seq 500); do grep -q '"paused" : ".*401' "$M/.skyfs/status.json" && exit 0; sleep 0.02; done; exit 1"#
            )
            #expect(paused.succeeded, "\(paused)")
            target.behave(.accept)
            mount.signal(SIGHUP)
            // Long before the next probe, which is ten seconds away.
            #expect(target.waitForUploads(1, atMost: .seconds(8)))
            #expect(MountTable.isMounted(scene.mountPoint))
            mount.signal(SIGTERM)
            #expect(await mount.wait(within: .seconds(20)) == .status(0))
            #expect(!MountTable.isMounted(scene.mountPoint))
        }
    }

    /// A mount in front is one of the programs that run on the terminal.
    @Test func aTerminalThatIsClosedEndsTheMount() async throws {
        try await withTarget { scene, _, url async throws in
            let ended = try await scene.sh(
                #"""
                script -qec "'$S' mount -f '\#(url)' '$M'" /dev/null </dev/null &
                for i in $(seq 500); do mountpoint -q "$M" && break; sleep 0.02; done
                mountpoint -q "$M" || exit 1
                kill -HUP $(pgrep -f "skyfs mount -f .* $M\$")
                wait
                ! mountpoint -q "$M"
                """#)
            #expect(ended.succeeded, "\(ended)")
        }
    }

    @Test func aTerminalShowsWhatUnmountWaitsFor() async throws {
        try await withTarget { scene, target, url async throws in
            target.behave(.refuse(503))
            #expect(try await scene.skyfs("mount", url, scene.mountPoint, "-o", "settle=0,retry=100ms").succeeded)
            #expect(try await scene.sh(#"echo hello > "$M/a.txt""#).succeeded)
            let unmount = try ChildProcess(
                ["script", "-qec", "'\(try SkyfsMount.program)' unmount '\(scene.mountPoint)'", "/dev/null"],
                environment: SkyfsMount.environment(home: scene.scratch.path), directory: scene.scratch.path)
            let isShown = await eventually {
                let shown = String(decoding: unmount.output, as: UTF8.self)
                return shown.contains("--now") && shown.contains("\u{1B}[Kwaiting for 1 file to go to ")
            }
            #expect(isShown)
            target.behave(.accept)
            #expect(await unmount.wait(within: .seconds(60)) == .status(0))
        }
    }

    @Test(arguments: [false, true])
    func secretsOfTheFormShowNowhere(isInFront: Bool) async throws {
        try await withTarget(at: "/upload?sig=s3cr3t0") { scene, target, url async throws in
            target.behave(.refuse(401))
            let config = try scene.scratch.file(
                "c.json5",
                """
                { sources: { a: { url: "\(url)", params: { token: "s3cr3t1" }, headers: { "X-Key": "s3cr3t2" } } } }
                """, mode: 0o600)
            let log = "\(scene.scratch.path)/log"
            let words = ["mount", "-o", "settle=0,debug,log=\(log)", "--config", config, scene.mountPoint]
            let mount = try ChildProcess(
                [try SkyfsMount.program] + words + (isInFront ? ["-f"] : []),
                environment: SkyfsMount.environment(home: scene.scratch.path), directory: scene.scratch.path)
            #expect(await eventually { MountTable.isMounted(scene.mountPoint) })
            #expect(try await scene.sh(#"echo hello > "$M/a/a.txt""#).succeeded)
            #expect(await eventually { !target.attempts.isEmpty })
            #expect(target.attempts.first?.headerValues("x-key") == ["s3cr3t2"])
            var shown = MountTable.text + scene.scratch.text("log")
            for process in try await scene.processes() { shown += CommandScene.commandLine(of: process) }
            shown += try await scene.sh(#"cat "$M/.skyfs/status" "$M/.skyfs/status.json"; getfattr -d "$M/a/a.txt""#)
                .text
            #expect(shown.contains("127.0.0.1") && !shown.contains("s3cr3t"), "\(shown)")
            #expect(try await scene.skyfs("unmount", "--now", scene.mountPoint).succeeded)
            #expect(await mount.wait(within: .seconds(20)) == .status(0))
            #expect(!mount.errors.contains("s3cr3t"))
        }
    }

    @Test(arguments: [["-f"], []])
    func fieldsOfTheCommandLineAreCrossedOut(front: [String]) async throws {
        try await withTarget { scene, target, url async throws in
            let words = ["mount", url, scene.mountPoint, "--drop-param", "token=s3cr3t", "--drop-param=b=s3cr3t"]
            let mount = try ChildProcess(
                [try SkyfsMount.program] + words + front,
                environment: SkyfsMount.environment(home: scene.scratch.path), directory: scene.scratch.path)
            #expect(await eventually { MountTable.isMounted(scene.mountPoint) })
            let processes = try await scene.processes()
            #expect(!processes.isEmpty)
            for process in processes { #expect(!CommandScene.commandLine(of: process).contains("s3cr3t")) }
            try await scene.unmount()
            #expect(await mount.wait(within: .seconds(20)) == .status(0))
        }
    }

    @Test func aSpoolInUseIsSaid() async throws {
        try await withTarget { scene, target, url async throws in
            #expect(try await scene.skyfs("mount", url, scene.mountPoint).succeeded)
            let other = try scene.scratch.directory("other")
            let second = try await scene.skyfs("mount", url, other, limit: .seconds(60))
            #expect(second.status == 1 && second.errors.contains("-o spool="), "\(second)")
            try await scene.unmount()
        }
    }
}
