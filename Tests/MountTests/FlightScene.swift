import Foundation
import LoopbackServer
import MountHarness
import Platform

/// The played flight service as `flights` in the root of a real mount. Used by one test at a time.
struct FlightScene {
    static let path = "/webservices/DomesticAirline.asmx"
    static let citiesPath = "\(path)/getDomesticCity"
    static let flightsPath = "\(path)/getDomesticAirlinesTime"

    let server: LoopbackServer
    let service: DomesticAirlineService
    let mount: SkyfsMount

    /// How often flights were asked for, and how often the cities.
    var asked: Int { service.calls(of: .flights).count }
    var askedForCities: Int { service.calls(of: .cities).count }

    func sh(_ script: String, limit: Duration = .seconds(60)) async throws -> Command {
        try await mount.sh(script, limit: limit)
    }

    /// What a script that must succeed prints; `$F` is the directory of the flights.
    func text(_ script: String, limit: Duration = .seconds(60)) async throws -> String {
        try await mount.text(of: "F=$M/flights; \(script)", limit: limit)
    }

    func cat(_ name: String, limit: Duration = .seconds(60)) async throws -> Command {
        try await mount.cat("flights/\(name)", limit: limit)
    }

    func attribute(_ name: String, of file: String) async throws -> Command {
        try await mount.run(
            "getfattr", "--only-values", "-n", "user.skyfs.\(name)", "\(mount.path)/flights/\(file)")
    }

    /// Makes all that is kept so much older, as if time had passed.
    func age(days: Int) async throws {
        let script = """
            import sqlite3, sys
            base = sqlite3.connect(sys.argv[2], timeout=10)
            base.execute("UPDATE answer SET fetched = fetched - ?", (\(days) * 86400000,))
            base.commit()
            """
        let aged = try await mount.python(script, Self.answers(mount.scratch))
        guard aged.succeeded else { throw HarnessError("\(aged)") }
    }

    static func answers(_ scratch: Scratch) -> String { "\(scratch.path)/cache/skyfs/flights/answers.sqlite" }

    /// A document as the service would send it, from the fixtures of the reader's tests.
    static func document(_ name: String) throws -> [UInt8] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: tests.appending(path: "FlightsTests/Documents/\(name)")))
    }

    /// An answer with a list of cities: English name, Chinese name, code; markup must be escaped.
    static func cities(_ rows: [(english: String, chinese: String, code: String)]) -> Answer {
        let rows = rows.map {
            "<Address><enCityName>\($0.english)</enCityName><cnCityName>\($0.chinese)</cnCityName>"
                + "<Abbreviation>\($0.code)</Abbreviation></Address>"
        }
        return xml(
            """
            <?xml version="1.0" encoding="utf-8"?><DataSet xmlns="http://WebXml.com.cn/"><diffgr:diffgram \
            xmlns:diffgr="urn:schemas-microsoft-com:xml-diffgram-v1"><Airline1 xmlns="">\(rows.joined())</Airline1>\
            </diffgr:diffgram></DataSet>
            """)
    }

    static func xml(_ text: String) -> Answer { xml(Array(text.utf8)) }

    static func xml(_ bytes: [UInt8]) -> Answer {
        Answer(headers: [("Content-Type", "text/xml; charset=utf-8")], body: .bytes(bytes))
    }
}

/// Mounts a new flight service, then ends the program and removes everything.
/// - Parameters:
///   - instead: what the server answers to a request before the service is asked; nil for what the service says.
///   - sources: the part of the command line before the mount point; by default the service as `flights`.
func withFlights(
    _ options: String = "", service: DomesticAirlineService = DomesticAirlineService(),
    instead: @escaping @Sendable (ServerRequest) -> Answer? = { _ in nil },
    sources: (LoopbackServer) throws -> [String] = { ["flights=flights+\($0.url)\(FlightScene.path)"] },
    _ body: (FlightScene) async throws -> Void
) async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.on("*") { request, _ in instead(request) ?? service.answer(to: request) ?? Answer(status: 404) }
    try await withMount(try sources(server), options: options) { mount async throws in
        try await body(FlightScene(server: server, service: service, mount: mount))
    }
}

/// The same with the source as an object of a configuration file, which may hold secrets.
func withConfiguredFlights(
    _ source: String, options: String = "",
    instead: @escaping @Sendable (ServerRequest) -> Answer? = { _ in nil },
    _ body: (FlightScene) async throws -> Void
) async throws {
    let folder = try Scratch()
    var failure: (any Error)?
    do {
        try await withFlights(options, instead: instead) { server in
            let url = "\(server.url)\(FlightScene.path)"
            let text = "{ sources: { flights: { type: 'flights', url: '\(url)', \(source) } } }"
            return ["--config", try folder.file("skyfs.json5", text, mode: 0o600)]
        } _: {
            try await body($0)
        }
    } catch { failure = error }
    await folder.remove()
    if let failure { throw failure }
}
