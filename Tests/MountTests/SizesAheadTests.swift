import LoopbackServer
import MountHarness
import Platform
import Testing

/// Asking ahead for the sizes that a listing rounds.
struct SizesAheadTests {
    /// The kernel asks for no attributes of what was answered exactly: names alone show how far the reader is. Connections
    /// are opened only while others are busy, so their number tells how many sizes were asked for at a time.
    @Test func readerWhoseFilesAreKnownAlreadyIsKeptAheadOf() async throws {
        let server = try LoopbackServer()
        let names = (0..<300).map { "f" + String(1000 + $0) }
        server.on(
            "/",
            HTMLListing(style: .apacheFancy, names.map { .file(FileName($0), size: 4_321) }).responder)
        for name in names { server.pattern("/\(name)", 4_321) }
        let relay = try Relay(to: server.port, delay: .milliseconds(20))
        defer { relay.stop() }
        try await withMount(["http://127.0.0.1:\(relay.port)/"], options: "connections=32") { mount async throws in
            let lines = try await mount.sh(#"ls -l "$M" | grep -c ' 4321 '"#).lines
            #expect(lines == ["300"])
            #expect(server.log.count == 301)
            #expect(relay.maximumConcurrentConnections > 16)
        }
    }
}
