import Glibc
import MountHarness
import Testing

@testable import skyfs

struct ConfigFileTests {
    private func request(_ text: String, mode: mode_t = 0o600) throws -> MountRequest {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/skyfs-test-config.XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        fchmod(descriptor, mode)
        close(descriptor)
        var request = MountRequest()
        try ConfigFile(path: path).add(to: &request)
        return request
    }

    @Test func sourcesAndOptionsAreRead() throws {
        let request = try request(
            """
            // a comment
            { sources: { b: "http://h/b/", a: 'http://h/a/', }, ttl: 10, memory: "64M", external_links: true }
            """)
        #expect(request.sources.map(\.name) == ["a", "b"])
        #expect(Set(request.options) == ["ttl=10", "memory=64M", "external_links=true"])
    }

    @Test func aSingleSourceIsTheRoot() throws {
        #expect(try request(#"{"source": "http://h/"}"#).sources.map(\.name) == [nil])
    }

    @Test(arguments: [
        "", "[]", "{", "{ sources: 5 }", "{ source: {} }", "{ tll: 5 }", "{ ttl: [] }", "{ source: \"ftp://h/\" }",
        "null",
        "{ sources: { \"../x\": \"http://h/\" } }",
    ])
    func whatIsNoConfigurationIsRefused(text: String) {
        #expect { try request(text) } throws: { ($0 as? CommandError)?.code == .usage }
    }

    @Test func unknownKeysNameTheNearOnes() {
        #expect { try request(#"{ "sorces": {} }"#) } throws: {
            ($0 as? CommandError)?.advice == "did you mean sources or source?"
        }
        #expect { try request(#"{ memroy: "1G" }"#) } throws: {
            ($0 as? CommandError)?.advice == "did you mean memory?"
        }
    }

    /// Opening it would wait for a writer.
    @Test func aNamedPipeIsRefusedAtOnce() async throws {
        let scratch = try Scratch()
        mkfifo("\(scratch.path)/pipe", 0o600)
        var request = MountRequest()
        #expect(throws: CommandError.self) { try ConfigFile(path: "\(scratch.path)/pipe").add(to: &request) }
        await scratch.remove()
    }

    @Test func aPasswordMustNotBeReadableByOthers() throws {
        let text = #"{ source: "http://user:pw@h/" }"#
        #expect { try request(text, mode: 0o644) } throws: {
            ($0 as? CommandError)?.advice?.contains("chmod 600") ?? false
        }
        #expect(try request(text, mode: 0o600).hasCredentials)
    }

    @Test func aMissingFileIsSaid() {
        #expect {
            var request = MountRequest()
            try ConfigFile(path: "/nonexistent/skyfs.json5").add(to: &request)
        } throws: { ($0 as? CommandError)?.text.contains("No such file") ?? false }
    }
}
