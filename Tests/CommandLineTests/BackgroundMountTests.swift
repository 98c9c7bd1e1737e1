import Glibc
import LoopbackServer
import MountHarness
import Testing

/// `skyfs mount` without `-f`: it returns once the mount is usable, and says why when it is not.
struct BackgroundMountTests {
    @Test func theMountIsUsableWhenTheCommandReturns() async throws {
        let server = try LoopbackServer.withOneFile()
        defer { server.stop() }
        try await withScene { scene async throws in
            let mounted = try await scene.skyfs("mount", "\(server.url)/", scene.mountPoint)
            #expect(mounted.succeeded && mounted.output.isEmpty && mounted.errors.isEmpty, "\(mounted)")
            #expect(MountTable.isMounted(scene.mountPoint))
            #expect(try await scene.sh(#"cat "$M/f.txt""#).text == "f\n")
            let status = try await scene.skyfs("status", scene.mountPoint)
            #expect(status.succeeded && status.text.contains(server.url), "\(status)")
            let json = try await scene.sh(
                #""$S" status "$M" --json | python3 -c 'import json, sys; json.load(sys.stdin)'"#)
            #expect(json.succeeded, "\(json)")
            try await scene.unmount()
            var isGone = false
            for _ in 0..<500 where !isGone { isGone = try await scene.processes().isEmpty }
            #expect(isGone, "the process behind the mount is still there")
        }
    }

    @Test func relativePathsAreThoseOfTheCaller() async throws {
        let server = try LoopbackServer.withOneFile()
        defer { server.stop() }
        try await withScene { scene async throws in
            let mounted = try await scene.skyfs("mount", "-olog=m.log", "\(server.url)/", "mount/")
            #expect(mounted.succeeded, "\(mounted)")
            #expect(MountTable.isMounted(scene.mountPoint))
            #expect(scene.scratch.text("m.log").contains("mounted on \(scene.mountPoint)"))
            let unmounted = try await scene.skyfs("unmount", "./mount", "--now")
            #expect(unmounted.succeeded, "\(unmounted)")
        }
    }

    @Test func everyFailureHasItsExitCode() async throws {
        let server = try LoopbackServer.withOneFile()
        server.on("/private/", Answer(status: 403))
        server.on(
            "/image/", Answer(headers: [("Content-Type", "image/png")], body: .bytes([0x89, 0x50, 0x4E, 0x47])))
        defer { server.stop() }
        let closed = try LoopbackServer()
        closed.stop()
        try await withScene { scene async throws in
            func code(_ arguments: String...) async throws -> Int32? {
                let command = try await scene.sh(#""$S" mount "# + arguments.joined(separator: " "))
                #expect(command.errors.hasPrefix("skyfs: "), "\(command)")
                return command.status
            }
            #expect(try await code("--no-such-option", "\(server.url)/", "$M") == 2)
            #expect(try await code("\(server.url)/", "$M", "-o", "netrc=missing") == 2)
            #expect(try await code("\(server.url)/", "$M", "-o", "log=missing/m.log") == 2)
            #expect(try await code("\(server.url)/nothing/", "$M") == 3)
            #expect(try await code("\(server.url)/private/", "$M") == 4)
            #expect(try await code("-o timeout=1", "\(closed.url)/", "$M") == 5)
            #expect(try await code("\(server.url)/image/", "$M") == 6)
            #expect(try await code("\(server.url)/", "$M/missing") == 7)
            #expect(try await scene.skyfs("mount").status == 2)
            #expect(try await scene.skyfs("status", scene.mountPoint).status == 7)
            #expect(try await scene.skyfs("unmount", scene.mountPoint).status == 7)
        }
    }

    @Test(arguments: ["flight:", "ftp+https://host/?token=t0k3n", "links"])
    func whatIsNoSourceIsRefusedClearly(source: String) async throws {
        try await withScene { scene async throws in
            let command = try await scene.skyfs("mount", source, scene.mountPoint)
            #expect(command.status == 2)
            #expect(command.errors.contains("a source is the http or https URL"), "\(command)")
            #expect(!command.errors.contains("t0k3n"), "\(command)")
        }
    }

    @Test func aSignalWhileItWaitsForTheServerLeavesNothing() async throws {
        let server = try LoopbackServer.silent()
        defer { server.stop() }
        try await withScene { scene async throws in
            let command = try scene.start("mount", "-o", "timeout=100,stall=100", "\(server.url)/", scene.mountPoint)
            #expect(await eventually { server.connectionsOpened > 0 })
            command.signal(SIGINT)
            #expect(await command.wait(within: .seconds(20)) == .status(1))
            #expect(try await scene.processes() == [])
        }
    }

    @Test func aKilledCommandIsNotMountedLater() async throws {
        let server = try LoopbackServer()
        let isReleased = Flag()
        server.on("/") { _, _ in
            isReleased.wait()
            return .html(#"<a href="f.txt">f</a>"#)
        }
        defer { server.stop() }
        try await withScene { scene async throws in
            let command = try scene.start("mount", "\(server.url)/", scene.mountPoint)
            #expect(await eventually { server.connectionsOpened > 0 })
            command.signal(SIGKILL)
            #expect(await command.wait(within: .seconds(20)) == .signal(SIGKILL))
            isReleased.set()
            var isGone = false
            for _ in 0..<500 where !isGone { isGone = try await scene.processes().isEmpty }
            #expect(isGone)
        }
    }

    @Test(arguments: [SIGHUP, SIGTERM, SIGINT])
    func signalsEndTheMountInOrder(signal: Int32) async throws {
        let server = try LoopbackServer.withOneFile()
        defer { server.stop() }
        try await withScene { scene async throws in
            let mount = try scene.start("mount", "-f", "\(server.url)/", scene.mountPoint)
            #expect(await eventually { MountTable.isMounted(scene.mountPoint) })
            mount.signal(signal)
            #expect(await mount.wait(within: .seconds(20)) == .status(0))
            #expect(!MountTable.isMounted(scene.mountPoint))
        }
    }
}
