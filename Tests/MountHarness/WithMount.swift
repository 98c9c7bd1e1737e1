import Glibc
package import LoopbackServer
import Platform

/// Mounts the root of a server for the time of `body`; see the general form.
package func withMount<Result>(
    _ server: LoopbackServer, options: String = "", _ body: (SkyfsMount) async throws -> Result
) async throws -> Result {
    try await withMount(["\(server.url)/"], options: options, body)
}

/// Mounts sources for the time of `body`, then ends the program and removes everything, also after a failure.
/// - Throws: what `body` throws; else an error if there was no mount, if the program crashed, or did not end by itself
///   and with status 0 at SIGTERM.
/// - Parameters:
///   - directory: the mount point's name in the scratch directory.
///   - environment: of the program, besides the usual.
///   - prepare: fills the scratch directory before the program starts, for example with a `.netrc`.
package func withMount<Result>(
    _ sources: [String], options: String = "", directory: String = "mount", environment: [String: String] = [:],
    prepare: (Scratch) throws -> Void = { _ in },
    _ body: (SkyfsMount) async throws -> Result
) async throws -> Result {
    guard access("/dev/fuse", R_OK | W_OK) == 0 else {
        throw HarnessError("/dev/fuse: \(Errno.current); these tests need real mounts")
    }
    await MountSlots.shared.take()
    let result: Swift.Result<Result, any Error>
    do {
        let scratch = try Scratch()
        do {
            try prepare(scratch)
            let path = try scratch.directory(directory)
            let mount = try await SkyfsMount.start(
                sources, options: options, environment: environment, at: path, in: scratch)
            result = .success(try await end(mount, after: body))
        } catch {
            result = .failure(error)
        }
        await scratch.remove()
    } catch {
        result = .failure(error)
    }
    await MountSlots.shared.giveBack()
    return try result.get()
}

private func end<Result>(
    _ mount: SkyfsMount, after body: (SkyfsMount) async throws -> Result
) async throws -> Result {
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body(mount))
    } catch {
        result = .failure(error)
    }
    let complaint = await mount.end()
    if case .failure(let error) = result {
        throw HarnessError("\(error)\n\(complaint ?? "")\nskyfs wrote: \(mount.process.errors.suffix(4000))")
    }
    if let complaint {
        throw HarnessError("\(complaint)\nskyfs wrote: \(mount.process.errors.suffix(4000))")
    }
    return try result.get()
}

extension SkyfsMount {
    /// Starts the program and waits until the kernel shows the mount.
    package static func start(
        _ sources: [String], options: String, environment: [String: String] = [:], at path: String,
        in scratch: Scratch
    ) async throws -> SkyfsMount {
        let arguments = try arguments(sources, at: path, options: options)
        let process = try ChildProcess(
            arguments, environment: self.environment(home: scratch.path).merging(environment) { $1 })
        let mount = SkyfsMount(path: path, scratch: scratch, process: process, arguments: arguments)
        let isThere = await eventually(within: .seconds(60)) {
            MountTable.isMounted(path) || process.exit != nil
        }
        guard isThere, process.exit == nil else {
            let state = process.exit.map { "ended with \($0)" } ?? "did not mount"
            _ = await mount.end()
            throw HarnessError("skyfs \(state): \(process.errors.suffix(4000))")
        }
        return mount
    }

    /// Ends the program as a service manager would, and takes the mount away by force if it is still there.
    /// - Returns: what was not as it should be.
    package func end() async -> String? {
        var complaints: [String] = []
        let crashed = process.exit
        process.signal(SIGTERM)
        let exit = await process.wait(within: .seconds(20))
        switch (crashed, exit) {
        case (.status(0), _): break
        case (let early?, _): complaints.append("skyfs had ended before: \(early)")
        case (_, .status(0)): break
        case (_, let exit?): complaints.append("skyfs ended at SIGTERM with \(exit)")
        case (_, nil): complaints.append("skyfs did not end at SIGTERM")
        }
        if MountTable.isMounted(path) {
            complaints.append("the mount was left over")
            while MountTable.isMounted(path) {
                let unmount = try? await Command.run(["fusermount3", "-uz", path], limit: .seconds(10))
                if unmount?.succeeded != true { break }
            }
        }
        if exit == nil {
            process.signal(SIGKILL)
            _ = await process.wait(within: .seconds(10))
        }
        return complaints.isEmpty ? nil : complaints.joined(separator: "; ")
    }
}
