import LoopbackServer
import MountHarness
import Testing

@testable import skyfs

struct MountCommandTests {
    @Test func optionsStandAnywhereAndAddUp() throws {
        let request = try MountCommand(
            ["-o", "ttl=1,log=a\\,b", "http://h/", "-f", "/mnt", "--options=ttl=2"]
        ).request
        #expect(request.sources.map(\.url) == ["http://h/"])
        #expect(request.mountPoint == "/mnt")
        #expect(request.isForeground)
        #expect(request.options == ["ttl=1", "log=a,b", "ttl=2"])
    }

    @Test func theCommandLineWinsOverTheFile() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("c.json5", "{ sources: { a: 'http://h/' }, ttl: 5 }")
        let request = try MountCommand(["-c", file, "-o", "ttl=7", "b=http://g/", "/mnt"]).request
        #expect(request.sources.map(\.name) == ["b", "a"])
        #expect(request.options == ["ttl=5", "ttl=7"])
        await scratch.remove()
    }

    @Test func onlyPasswordsOfTheCommandLineShow() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("c.json5", "{ source: 'http://u:p@h/' }", mode: 0o600)
        #expect(try MountCommand(["http://u:p@h/", "/mnt"]).showsCredentials)
        let command = try MountCommand(["-c", file, "/mnt"])
        #expect(!command.showsCredentials && command.request.hasSecrets)
        await scratch.remove()
    }

    @Test func formOptionsAreForTheDropFolders() throws {
        let request = try MountCommand(
            [
                "--drop-param", "b=2", "a=drop+http://h/", "--drop-param=a=1", "files=http://g/", "--drop-field", "f",
                "--drop-path-field=p", "/mnt",
            ]
        ).request
        let form = try #require(request.sources.first?.form)
        #expect(form.parameters == [.init(name: "b", value: "2"), .init(name: "a", value: "1")])
        #expect(form.fileField == "f" && form.pathField == "p")
        #expect(request.sources.last?.form == nil)
    }

    @Test(arguments: [
        ["--drop-param", "a=1", "http://h/", "/mnt"], ["--drop-param", "a", "drop+http://h/", "/mnt"],
        ["--drop-field=", "drop+http://h/", "/mnt"], ["--drop", "x", "drop+http://h/", "/mnt"],
    ])
    func formOptionsThatCannotBeMeantAreRefused(words: [String]) {
        #expect { try MountCommand(words) } throws: { ($0 as? CommandError)?.code == .usage }
    }

    @Test func aDropFolderIsNotMountedForReadingOnly() {
        #expect { try MountCommand(["drop+http://h/", "/nonexistent", "-o", "ro"]).run() } throws: {
            ($0 as? CommandError)?.message.contains("ro") ?? false
        }
    }

    /// See mount(8), "External helpers".
    @Test func wordsOfMountAreUnderstood() throws {
        let command = try MountCommand(
            helperArguments: [
                "http://h/", "/mnt", "-sfnv", "-N", "/proc/1/ns/mnt", "-o", "rw,user=me", "-t", "fuse.skyfs",
            ])
        #expect(command.isFake)
        #expect(!command.request.isForeground)
        #expect(command.request.options == ["rw", "user=me"])
    }

    @Test func aLinkCalledMountSkyfsMounts() async throws {
        let server = try LoopbackServer.withOneFile()
        defer { server.stop() }
        try await withScene { scene async throws in
            let words = "'\(server.url)/' \"$M\" -o rw,nodiratime,_netdev,x-systemd.automount"
            let fake = try await scene.sh(#"ln -s "$S" mount.skyfs && ./mount.skyfs -f "# + words)
            #expect(fake.succeeded && !MountTable.isMounted(scene.mountPoint), "\(fake)")
            let mounted = try await scene.sh("./mount.skyfs " + words)
            #expect(mounted.succeeded, "\(mounted)")
            #expect(try await scene.sh(#"cat "$M/f.txt""#).text == "f\n")
            try await scene.unmount()
        }
    }
}
