import Glibc
import LoopbackServer
import MountHarness
import Platform
import Testing

/// Readers that are stopped, and mounts that are ended, while the server is silent.
struct InterruptionTests {
    private static func silentServer() throws -> LoopbackServer {
        let server = try LoopbackServer(listing: "ok.txt", "hang.bin", "slow/")
        server.on("/hang.bin") { request, _ in
            let answer = FileResource.pattern(5_000_000).answer(to: request)
            return request.method == "HEAD" ? answer : answer.with(.stall(afterBody: 0))
        }
        server.on("/slow/") { _, connection in
            connection.waitForClose(atMost: .seconds(300))
            return nil
        }
        server.text("/ok.txt", "ok\n")
        return server
    }

    /// Far beyond the bounds in these tests, so that no time limit of the mount is taken for the interruption.
    private static let patient = "stall=200,timeout=200"

    /// Field case C11.
    @Test(arguments: [("cat", "hang.bin", SIGINT), ("ls", "slow", SIGINT), ("cat", "hang.bin", SIGKILL)])
    func waitingProgramsEndAtASignal(program: String, name: String, signal: Int32) async throws {
        let server = try Self.silentServer()
        try await withMount(server, options: Self.patient) { mount async throws in
            let reader = try mount.start(program, "\(mount.path)/\(name)")
            let target = name == "slow" ? "/slow/" : "/hang.bin"
            #expect(await eventually { !server.requests(target, method: "GET").isEmpty })
            try await Task.sleep(for: .milliseconds(200))
            #expect(reader.exit == nil)
            reader.signal(signal)
            // The kernel waits for the answer to an interrupted operation; that comes after 0.8 s at the latest.
            let exit = await reader.wait(within: .seconds(10))
            #expect(exit == .signal(signal))
            #expect(try await mount.text("ok.txt", limit: .seconds(10)) == "ok\n")
        }
    }

    /// Programs with timers get signals all the time; a read that would succeed must not fail because of them.
    @Test func signalsDoNotDisturbAReadThatSucceeds() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on("/f.bin", FileResource(.pattern(0..<2_000_000), faults: [.delay(.milliseconds(150))]).responder)
        try await withMount(server) { mount async throws in
            let read = try await mount.python(
                """
                import os, signal, sys
                signal.signal(signal.SIGALRM, lambda *a: None)
                signal.siginterrupt(signal.SIGALRM, False)
                signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
                fd = os.open(sys.argv[1] + "/f.bin", os.O_RDONLY)
                data = b""
                while True:
                    part = os.read(fd, 1 << 17)
                    if not part: break
                    data += part
                assert data == bytes(i % 251 for i in range(2000000))
                print("ok")
                """)
            #expect(read.text == "ok\n", "\(read)")
        }
    }

    /// Field case C13, first part.
    @Test func busyMountIsNotUnmounted() async throws {
        let server = try Self.silentServer()
        try await withMount(server) { mount async throws in
            let holder = try mount.start("bash", "-c", #"exec 3<"$M/ok.txt"; touch held; exec sleep 100"#)
            defer { holder.killGroup() }
            let path = mount.scratch.path
            #expect(await eventually { access("\(path)/held", F_OK) == 0 })
            let unmount = try await mount.run("fusermount3", "-u", mount.path)
            #expect(unmount.status == 1 && unmount.errors.lowercased().contains("busy"), "\(unmount)")
            #expect(MountTable.isMounted(mount.path))
            #expect(try await mount.text("ok.txt") == "ok\n")
            holder.killGroup()
            #expect(await holder.wait(within: .seconds(10)) != nil)
        }
    }

    /// Field case C13, second part.
    @Test(arguments: [SIGTERM, SIGINT])
    func signalToTheProgramEndsItAndItsReaders(signal: Int32) async throws {
        let server = try Self.silentServer()
        try await withMount(server, options: Self.patient) { mount async throws in
            let reader = try mount.start("cat", "\(mount.path)/hang.bin")
            #expect(await eventually { !server.requests("/hang.bin", method: "GET").isEmpty })
            try await Task.sleep(for: .milliseconds(200))
            mount.process.signal(signal)
            #expect(await mount.process.wait(within: .seconds(10)) == .status(0))
            #expect(!MountTable.isMounted(mount.path))
            #expect(await reader.wait(within: .seconds(10)) == .status(1))
        }
    }

    @Test func unmountWorksWhileATransferHangs() async throws {
        let server = try Self.silentServer()
        try await withMount(server, options: Self.patient) { mount async throws in
            let reader = try mount.start("cat", "\(mount.path)/hang.bin")
            #expect(await eventually { !server.requests("/hang.bin", method: "GET").isEmpty })
            reader.signal(SIGKILL)
            #expect(await reader.wait(within: .seconds(10)) != nil)
            let unmounted = try await mount.run(["fusermount3", "-u", mount.path], limit: .seconds(15))
            #expect(unmounted.succeeded, "\(unmounted)")
            #expect(await mount.process.wait(within: .seconds(10)) == .status(0))
        }
    }

    /// Field case C14.
    @Test func nextStartReplacesADeadMount() async throws {
        let server = try LoopbackServer(listing: "f.txt")
        server.text("/f.txt", "f\n")
        defer { server.stop() }
        await MountSlots.shared.take()
        let scratch = try Scratch()
        let path = try scratch.directory("mount")
        let first = try await SkyfsMount.start(["\(server.url)/"], options: "", at: path, in: scratch)
        #expect(try await first.cat("f.txt").text == "f\n")
        first.process.signal(SIGKILL)
        #expect(await first.process.wait(within: .seconds(10)) == .signal(SIGKILL))
        let listed = try await first.run("ls", path)
        #expect(listed.errors.contains("Transport endpoint is not connected"), "\(listed)")

        // The dead mount stands in the table too, so the answer tells when the new one is there.
        let second = SkyfsMount(
            path: path, scratch: scratch,
            process: try ChildProcess(first.arguments, environment: SkyfsMount.environment(home: scratch.path)),
            arguments: first.arguments)
        var text = ""
        for _ in 0..<200 where text != "f\n" && second.process.exit == nil {
            text = try await second.cat("f.txt", limit: .seconds(10)).text
            if text != "f\n" { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(text == "f\n", "\(second.process.errors)")
        #expect(MountTable.entries(at: path).count == 1)
        let complaint = await second.end()
        #expect(complaint == nil, "\(complaint ?? "")")
        await scratch.remove()
        await MountSlots.shared.giveBack()
    }
}
