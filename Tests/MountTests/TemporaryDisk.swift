import Glibc
import MountHarness

/// A small file system in memory for the time of `body`. Mounting takes root, directly or by `sudo`.
func withTemporaryDisk(megabytes: Int, _ body: (String) async throws -> Void) async throws {
    let scratch = try Scratch()
    let asRoot = getuid() == 0 ? [] : ["sudo", "-n"]
    var failure: (any Error)?
    do {
        let path = try scratch.directory("disk")
        let options = "size=\(megabytes)m,mode=755,uid=\(getuid()),gid=\(getgid())"
        let mounted = try await Command.run(asRoot + ["mount", "-t", "tmpfs", "-o", options, "tmpfs", path])
        guard mounted.succeeded else { throw HarnessError("no temporary disk: \(mounted)") }
        do {
            try await body(path)
        } catch {
            failure = error
        }
        let unmounted = try await Command.run(asRoot + ["umount", path])
        if !unmounted.succeeded {
            _ = try await Command.run(asRoot + ["umount", "-l", path])
            failure = failure ?? HarnessError("the spool was still in use: \(unmounted)")
        }
    } catch {
        failure = failure ?? error
    }
    await scratch.remove()
    if let failure { throw failure }
}
