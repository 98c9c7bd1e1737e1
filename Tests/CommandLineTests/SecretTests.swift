import Glibc
import LoopbackServer
import MountHarness
import Testing

@testable import skyfs

/// Secrets of URLs: never in messages, and out of the process list as soon as possible.
struct SecretTests {
    @Test(arguments: [
        ("http://u:p@h/d/?k=v", "http://…@h/d/?…"), ("http://h/d/", "http://h/d/"),
        ("drop+https://h/?t=1", "drop+https://h/?…"),
        ("http://u:p@q/r?s@h/", "http://…@h/"), ("flights:", "flights:"), ("u:p@h/", "…@h/"), ("", ""),
        ("http://h/\u{1B}[31m", "http://h/\u{FFFD}[31m"),
    ])
    func textsAreShownWithoutSecrets(text: String, shown: String) { #expect(SecretMask.shown(text) == shown) }

    @Test(arguments: [
        ("http://u:p@h/d/?k=v", "http://xxx@h/d/?xxx"), ("n=https://h/?a", "n=https://h/?x"),
        ("http://u:p@q/r?s@h/", "http://xxxxxxxxx@h/"), ("-o", "-o"), ("a@b?c", "a@b?c"),
    ])
    func wordsAreCrossedOut(word: String, crossed: String) {
        #expect(String(decoding: SecretMask.crossedOut(Array(word.utf8)), as: UTF8.self) == crossed)
    }

    @Test(arguments: [
        ("t=s3cret", "xxxxxxxx"), ("--drop-param=t=s3cret", "--drop-param=xxxxxxxx"), ("xt=s3cret", "xt=s3cret"),
        ("http://u@h/", "http://x@h/"), ("", ""),
    ])
    func secretWordsAreCrossedOutWhole(word: String, crossed: String) {
        let result = SecretMask.crossedOut(Array(word.utf8), secrets: [Array("t=s3cret".utf8)])
        #expect(String(decoding: result, as: UTF8.self) == crossed)
    }

    @Test func theMountingProcessesShowNoSecret() async throws {
        let server = try LoopbackServer.silent()
        defer { server.stop() }
        let source = "http://user:s3cr3tpw@127.0.0.1:\(server.port)/d/?token=t0k3n"
        try await withScene { scene async throws in
            let command = try scene.start("mount", "-o", "timeout=100,stall=100", source, scene.mountPoint)
            #expect(await eventually { server.connectionsOpened > 0 })
            // Only of this server: other tests mount others at the same time.
            let all = try await Command.run(["ps", "ax", "-ww", "-o", "args"], limit: .seconds(10)).text
            let shown = all.split(separator: "\n").filter { $0.contains("127.0.0.1:\(server.port)/") }
            #expect(shown.contains { $0.contains("/d/") })
            #expect(!shown.contains { $0.contains("s3cr3tpw") || $0.contains("t0k3n") }, "\(shown)")
            command.signal(SIGTERM)
            #expect(await command.wait(within: .seconds(20)) == .status(1))
            #expect(command.errors.contains("list of processes"), "\(command.errors)")
            #expect(!command.errors.contains("s3cr3tpw") && !command.errors.contains("t0k3n"))
        }
    }

    @Test(arguments: ["?token=t0k3n", ""])
    func aMountInFrontShowsNoSecret(query: String) async throws {
        let server = try LoopbackServer.withOneFile()
        server.on("/f.txt?token=t0k3n", FileResource(.text("f\n")).responder)
        defer { server.stop() }
        let userinfo = query.isEmpty ? "user:s3cr3tpw@" : ""
        try await withScene { scene async throws in
            let mount = try scene.start(
                "mount", "-f", "http://\(userinfo)127.0.0.1:\(server.port)/f.txt\(query)", scene.mountPoint)
            #expect(await eventually { MountTable.isMounted(scene.mountPoint) })
            let shown = CommandScene.commandLine(of: mount.pid)
            #expect(shown.contains("127.0.0.1:\(server.port)/f.txt"), "\(shown)")
            #expect(!shown.contains("s3cr3tpw") && !shown.contains("t0k3n"), "\(shown)")
            #expect(!MountTable.text.contains("s3cr3tpw") && !MountTable.text.contains("t0k3n"))
            mount.signal(SIGTERM)
            #expect(await mount.wait(within: .seconds(20)) == .status(0))
        }
    }

    /// A password from a file is in nobody's sight, so nothing is said.
    @Test func passwordsOfAConfigurationFileAreNotWarnedAbout() async throws {
        let server = try LoopbackServer.withOneFile()
        defer { server.stop() }
        try await withScene { scene async throws in
            let file = try scene.scratch.file(
                "c.json5", "{ source: 'http://user:s3cr3tpw@127.0.0.1:\(server.port)/' }", mode: 0o600)
            let mounted = try await scene.skyfs("mount", "--config", file, scene.mountPoint)
            #expect(mounted.succeeded && mounted.errors.isEmpty, "\(mounted)")
            try await scene.unmount()
        }
    }
}
