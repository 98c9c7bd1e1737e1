import Glibc
import LoopbackServer
import MountHarness
import Platform
import Testing

@testable import skyfs

/// Where a mount may go, and how a path is found without asking what is mounted there.
struct MountPointTests {
    @Test func whatTheMountUsesMustNotLieInIt() async throws {
        try await withScene { scene async throws in
            try #require(symlink(scene.mountPoint, "\(scene.scratch.path)/link") == 0)
            for folder in ["mount", "mount/cache", "link/a/b", "./mount/../mount/x"] {
                let flights = try await scene.skyfs("mount", "flights:", scene.mountPoint, "-o", "cache=\(folder)")
                #expect(
                    flights.status == 2 && flights.errors.contains("lies in the mount point"), "\(folder): \(flights)")
                let drop = try await scene.skyfs(
                    "mount", "drop+http://127.0.0.1:1/", scene.mountPoint, "-o", "spool=\(folder)")
                #expect(drop.status == 2 && drop.errors.contains("lies in the mount point"), "\(folder): \(drop)")
            }
            #expect(!MountPath.isInside("\(scene.mountPoint)2/x", mountPoint: scene.mountPoint))
            #expect(!MountPath.isInside(scene.scratch.path, mountPoint: scene.mountPoint))
        }
    }

    @Test func pathsAreFoundAsTheKernelWritesThem() async throws {
        let scratch = try Scratch()
        let path = try scratch.directory("a")
        _ = try scratch.directory("a/b")
        symlink("a", "\(scratch.path)/relative")
        symlink("\(scratch.path)/relative/b", "\(scratch.path)/absolute")
        symlink("loop", "\(scratch.path)/loop")
        #expect(try MountPath.resolve("\(path)//b///") == "\(path)/b")
        #expect(try MountPath.resolve("\(scratch.path)/relative") == path)
        #expect(try MountPath.resolve("\(scratch.path)/absolute") == "\(path)/b")
        #expect(try MountPath.resolve("\(scratch.path)/relative/b/..") == path)
        #expect(try MountPath.resolve("\(scratch.path)/relative/none") == "\(path)/none")
        #expect(try MountPath.resolve("/") == "/")
        #expect(try MountPath.resolve("/tmp/..") == "/")
        #expect(throws: Errno.loop) { try MountPath.resolve("\(scratch.path)/loop") }
        #expect(throws: Errno.noEntry) { try MountPath.resolve("\(scratch.path)/none/x") }
        #expect(throws: Errno.noEntry) { try MountPath.resolve("") }
        await scratch.remove()
    }

    @Test func aSecondMountIsRefusedAndTheFirstStays() async throws {
        let server = try LoopbackServer.withOneFile()
        defer { server.stop() }
        try await withScene { scene async throws in
            #expect(try await scene.skyfs("mount", "\(server.url)/", scene.mountPoint).succeeded)
            let second = try await scene.skyfs("mount", "\(server.url)/", scene.mountPoint)
            #expect(second.status == 7 && second.errors.contains("mounted there already"), "\(second)")
            #expect(MountTable.entries(at: scene.mountPoint).count == 1)
            try await scene.unmount()
        }
    }

    @Test func aMountOfAnotherKindIsNamed() async throws {
        try await withScene { scene async throws in
            let command = try await scene.skyfs("mount", "http://127.0.0.1:1/", "/proc")
            #expect(command.status == 7 && command.errors.contains("type proc"), "\(command)")
        }
    }

    /// The process is killed; the path leads through a symbolic link.
    @Test func aDeadMountIsReplaced() async throws {
        let server = try LoopbackServer.withOneFile()
        defer { server.stop() }
        try await withScene { scene async throws in
            symlink(".", "\(scene.scratch.path)/link")
            let first = try scene.start("mount", "-f", "\(server.url)/", scene.mountPoint)
            #expect(await eventually { MountTable.isMounted(scene.mountPoint) })
            first.signal(SIGKILL)
            #expect(await first.wait(within: .seconds(20)) == .signal(SIGKILL))
            #expect(try await scene.skyfs("status", "link/mount").status == 1)
            let second = try await scene.skyfs("mount", "\(server.url)/", "link/mount")
            #expect(second.succeeded, "\(second)")
            #expect(MountTable.entries(at: scene.mountPoint).count == 1)
            #expect(try await scene.sh(#"cat "$M/f.txt""#).text == "f\n")
            let unmounted = try await scene.skyfs("unmount", "link/mount")
            #expect(unmounted.succeeded, "\(unmounted)")
        }
    }

    @Test func aProcessThatIsStoppedDoesNotHangTheNextMount() async throws {
        let server = try LoopbackServer.withOneFile()
        defer { server.stop() }
        try await withScene { scene async throws in
            let first = try scene.start("mount", "-f", "\(server.url)/", scene.mountPoint)
            #expect(await eventually { MountTable.isMounted(scene.mountPoint) })
            first.signal(SIGSTOP)
            let second = try await scene.skyfs("mount", "\(server.url)/", scene.mountPoint)
            #expect(second.status == 7 && second.errors.contains("does not answer"), "\(second)")
            first.signal(SIGCONT)
            first.signal(SIGTERM)
            #expect(await first.wait(within: .seconds(20)) == .status(0))
        }
    }

    @Test func aBusyMountStaysAsItIs() async throws {
        let server = try LoopbackServer.withOneFile()
        defer { server.stop() }
        try await withScene { scene async throws in
            #expect(try await scene.skyfs("mount", "\(server.url)/", scene.mountPoint).succeeded)
            let busy = try await scene.sh(#"exec 3<"$M/f.txt"; "$S" unmount "$M""#)
            #expect(busy.status == 9 && busy.errors.contains("busy"), "\(busy)")
            #expect(try await scene.sh(#"cat "$M/f.txt""#).text == "f\n")
            try await scene.unmount()
        }
    }
}
