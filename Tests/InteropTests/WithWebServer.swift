import MountHarness

/// Serves a directory of the scratch directory for the time of `body`, then ends the server and removes everything.
/// - Parameters:
///   - fill: makes the files, below `root/` of the scratch directory.
///   - body: gets the server and the path of the directory it serves.
func withWebServer(
    _ kind: WebServer.Kind, digestUser: (name: String, password: String)? = nil,
    fill: (Scratch) async throws -> Void, _ body: (WebServer, String) async throws -> Void
) async throws {
    let scratch = try Scratch()
    var failure: (any Error)?
    do {
        let root = try scratch.directory("root")
        try await fill(scratch)
        let server = try await WebServer.start(kind, root: root, in: scratch, digestUser: digestUser)
        do {
            try await body(server, root)
        } catch {
            failure = HarnessError("\(error)\n\(kind) wrote: \(scratch.text("error.log"))")
        }
        await server.stop()
    } catch {
        failure = error
    }
    await scratch.remove()
    if let failure { throw failure }
}

/// Serves what a shell script makes in its working directory, and mounts it.
func withServedMount(
    _ kind: WebServer.Kind, fill script: String, _ body: (SkyfsMount, String) async throws -> Void
) async throws {
    try await withWebServer(
        kind,
        fill: { scratch in
            let filled = try await Command.run(["bash", "-ec", script], directory: "\(scratch.path)/root")
            guard filled.succeeded else { throw HarnessError("\(filled)") }
        },
        { server, root in try await withMount(["\(server.url)/"]) { mount async throws in try await body(mount, root) }
        })
}
