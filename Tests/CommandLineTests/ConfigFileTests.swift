import Filesystem
import Foundation
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

    @Test func aDropFolderIsAnObject() throws {
        let request = try request(
            """
            { sources: {
                a: { url: "drop+https://h/a", field: "f", params: { z: 1, b: true, c: "x" }, pathField: "p" },
                b: { type: "drop", url: "https://h/b", success: { status: [303, 302], json: "ok", text: "done" },
                     headers: { Authorization: "Bearer s3cret" } },
                c: "drop+https://h/c",
                d: { url: "https://h/d/" },
            } }
            """)
        #expect(request.sources.map(\.name) == ["a", "b", "c", "d"])
        #expect(request.sources.map(\.url) == ["https://h/a", "https://h/b", "https://h/c", "https://h/d/"])
        let forms = request.sources.map(\.form)
        #expect(forms[0]?.fileField == "f" && forms[0]?.pathField == "p")
        #expect(
            forms[0]?.parameters
                == [.init(name: "b", value: "true"), .init(name: "c", value: "x"), .init(name: "z", value: "1")])
        #expect(forms[1]?.statuses == [303, 302] && forms[1]?.jsonField == "ok" && forms[1]?.text == "done")
        #expect(forms[1]?.headers == [.init(name: "Authorization", value: "Bearer s3cret")])
        #expect(forms[2] == UploadForm())
        #expect(forms[3] == nil)
        let one = try self.request("{ source: { type: 'drop', url: 'drop+http://h/', success: { status: 303 } } }")
        #expect(one.sources.map(\.form?.statuses) == [[303]] && one.sources.map(\.url) == ["http://h/"])
    }

    @Test(arguments: [
        ("url: 'http://h/', field: 'f'", "type: \"drop\""), ("type: 'frop', url: 'http://h/'", "\"drop\""),
        ("url: 'drop+http://h/', feild: 'f'", "field"), ("url: 'drop+http://h/', success: { jsn: 'x' }", "json"),
    ])
    func mistakesInASourceAreNamed(text: String, advice: String) {
        #expect { try request("{ sources: { a: { \(text) } } }") } throws: {
            guard let error = $0 as? CommandError else { return false }
            return error.text.contains("sources.a") && error.advice?.contains(advice) ?? false
        }
    }

    @Test(arguments: [
        "field: 5", "params: []", "params: { a: {} }", "success: 5", "success: { status: 'x' }", "headers: { a: 5 }",
        "headers: { 'a b': 'c' }", "success: { status: 99 }", "field: ''", "params: { '': 'x' }",
    ])
    func whatIsNoFormIsRefused(text: String) {
        #expect { try request("{ source: { url: 'drop+http://h/', \(text) } }") } throws: {
            ($0 as? CommandError)?.code == .usage
        }
    }

    @Test func aFlightServiceIsAnObject() throws {
        let request = try request(
            """
            { sources: {
                a: { type: "flights" }, b: { type: "flights", url: "http://h/a.asmx", transport: "soap11", userID: 42 },
                c: "flights:", d: { url: "flights+http://h/a.asmx", userID: "x y" }, e: { type: "flights", url: "flights:" },
            }, flights_budget: 500, cache: "/c" }
            """)
        let usual = "http://webservice.webxml.com.cn/webservices/DomesticAirline.asmx"
        #expect(request.sources.map(\.url) == [usual, "http://h/a.asmx", usual, "http://h/a.asmx", usual])
        #expect(request.sources.map(\.flights?.transport) == ["get", "soap11", "get", "get", "get"])
        #expect(request.sources.map(\.flights?.userID) == ["", "42", "", "x y", ""])
        var settings = MountSettings()
        for option in request.options { try MountOption.apply(option, to: &settings) }
        #expect(settings.flightsBudget == 500 && settings.filesystem.cache == "/c")
    }

    @Test(arguments: [
        ("type: 'flights', transport: 'soap'", "did you mean soap11 or soap12?"),
        ("type: 'flights', field: 'x'", "drop"),
        ("url: 'http://h/', userID: 'x'", "flights"), ("type: 'flights', usrID: 'x'", "did you mean userID?"),
        ("type: 'flight'", "\"flights\""), ("type: 'flights', url: 'http://h/?userID=x'", "userID"),
        ("type: 'drop', url: 'http://h/', transport: 'get'", "flights"),
    ])
    func mistakesInAFlightServiceAreNamed(text: String, advice: String) {
        #expect { try request("{ sources: { a: { \(text) } } }") } throws: {
            guard let error = $0 as? CommandError else { return false }
            return error.code == .usage && error.advice?.contains(advice) ?? false
        }
    }

    @Test(arguments: ["userID: ''", "userID: []", "userID: 'a\\nb'", "transport: 5"])
    func whatIsNoFlightServiceIsRefused(text: String) {
        #expect { try request("{ source: { type: 'flights', \(text) } }") } throws: {
            ($0 as? CommandError)?.code == .usage
        }
    }

    @Test func aUserIDMustNotBeReadableByOthers() throws {
        let text = "{ source: { type: 'flights', userID: 's3cret' } }"
        for mode: mode_t in [0o644, 0o640, 0o604] {
            #expect { try request(text, mode: mode) } throws: {
                guard let error = $0 as? CommandError else { return false }
                return error.advice?.contains("chmod 600") ?? false && !error.text.contains("s3cret")
            }
        }
        #expect(try request(text, mode: 0o600).hasUserID)
    }

    @Test func theExamplesAreRead() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for name in ["skyfs.json5", "drop.json5", "flights.json5"] {
            let text = try String(contentsOf: root.appending(path: "examples/\(name)"), encoding: .utf8)
            let request = try request(text)
            var settings = MountSettings()
            for option in request.options { try MountOption.apply(option, to: &settings) }
            #expect(!request.sources.isEmpty, "\(name)")
        }
    }

    @Test func headersMustNotBeReadableByOthers() throws {
        let text = "{ source: { url: 'drop+http://h/', headers: { 'X-Key': 's3cret' } } }"
        #expect { try request(text, mode: 0o640) } throws: {
            ($0 as? CommandError)?.advice?.contains("chmod 600") ?? false
        }
        #expect(try request(text, mode: 0o600).hasSecrets)
    }
}
