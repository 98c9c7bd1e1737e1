import LoopbackServer
import MountHarness
import Testing

/// Nothing can be written to a files source, and trying costs nothing.
struct ReadOnlyTests {
    /// Field case C21.
    @Test func writingFailsAtOnceAndWithoutTraffic() async throws {
        let server = try LoopbackServer(listing: "f.txt", "d/")
        server.text("/f.txt", "f\n")
        server.directory("/d/", [])
        try await withMount(server) { mount async throws in
            #expect(try await mount.sh(#"ls -l "$M" && ls "$M/d""#).succeeded)
            server.clearLog()
            for command in [
                "touch new", "echo x >> f.txt", "truncate -s 0 f.txt", "mkdir nd", "rm -f f.txt", "mv f.txt g.txt",
                "ln -s a b", "ln f.txt h.txt", "chmod 777 f.txt", "touch -d 2020-01-01 f.txt", "rmdir d",
                "setfattr -n user.a -v 1 f.txt", "mkfifo p",
            ] {
                let tried = try await mount.sh("cd \"$M\" && { \(command); }", limit: .seconds(10))
                let words = [
                    "Read-only file system", "Permission denied", "not permitted", "not supported",
                    "Directory not empty",
                ]
                #expect(tried.status != 0 && tried.status != nil, "\(command): \(tried)")
                #expect(words.contains { tried.errors.contains($0) }, "\(command): \(tried)")
            }
            #expect(try await mount.sh(#"[ -w "$M/f.txt" ]"#).status == 1)
            #expect(server.log.filter { $0.method != "GET" && $0.method != "HEAD" }.isEmpty)
            #expect(server.log.count <= 1)
            #expect(try await mount.text("f.txt") == "f\n")
        }
    }

    @Test func creatingSaysReadOnlyFileSystem() async throws {
        let server = try LoopbackServer(listing: "f.txt")
        server.text("/f.txt", "f\n")
        try await withMount(server) { mount async throws in
            for command in ["touch \"$M/new\"", "mkdir \"$M/nd\"", "rm \"$M/f.txt\"", "mv \"$M/f.txt\" \"$M/g.txt\""] {
                let tried = try await mount.sh(command, limit: .seconds(10))
                #expect(tried.errors.contains("Read-only file system"), "\(command): \(tried)")
            }
        }
    }
}
