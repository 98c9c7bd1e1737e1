import LoopbackServer
import MountHarness
import Testing

@testable import skyfs

/// `skyfs flights` against the played service.
struct FlightsCommandTests {
    private static let path = "/webservices/DomesticAirline.asmx"

    private func withService(
        _ body: (CommandScene, DomesticAirlineService, LoopbackServer, String) async throws -> Void
    ) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let service = DomesticAirlineService()
        server.on("*") { request, _ in service.answer(to: request) ?? Answer(status: 404) }
        try await withScene { scene async throws in
            try await body(scene, service, server, "flights+\(server.url)\(Self.path)")
        }
    }

    @Test func theCommandPrintsWhatTheFileHolds() async throws {
        try await withService { scene, service, _, source async throws in
            #expect(try await scene.skyfs("mount", "air=\(source)", scene.mountPoint).succeeded)
            for (option, suffix) in [("", "txt"), ("--json", "json"), ("--csv", "csv")] {
                let printed = try await scene.sh(
                    #""$S" flights Shanghai bjs 2026-12-24 --source \#(source) \#(option) > printed; cmp printed "$M/air/上海/北京/2026-12-24.\#(suffix)""#
                )
                #expect(printed.succeeded, "\(printed)")
            }
            #expect(service.calls(of: .flights).count == 1)
            #expect(service.calls(of: .cities).count == 1)
            try await scene.unmount()
        }
    }

    @Test func theServiceMayStandInAConfigurationFile() async throws {
        try await withService { scene, service, server, _ async throws in
            let config = try scene.scratch.file(
                "c.json5",
                """
                { sources: { files: "\(server.url)/", air: { type: "flights", url: "\(server.url)\(Self.path)",
                  transport: "soap11", userID: 4711 } }, flights_budget: 2 }
                """, mode: 0o600)
            let printed = try await scene.skyfs("flights", "上海", "北京", "2026-12-24", "-c", config)
            #expect(printed.succeeded && printed.text.hasPrefix("上海 → 北京, Thursday"), "\(printed)")
            #expect(service.calls(of: .flights).map(\.transport) == [.soap11])
            #expect(service.calls(of: .flights).first?.parameters["userID"] == "4711")
            let second = try await scene.skyfs("flights", "上海", "北京", "2026-12-25", "-c", config)
            #expect(second.status == 10, "\(second)")
            let third = try await scene.skyfs(
                "flights", "上海", "北京", "2026-12-25", "-c", config, "-o", "flights_budget=3")
            #expect(third.succeeded, "\(third)")
        }
    }

    @Test func everyFailureSaysWhyAndHasItsExitCode() async throws {
        try await withService { scene, service, server, source async throws in
            func ask(_ day: String) async throws -> Command {
                try await scene.skyfs("flights", "上海", "北京", "2026-12-\(day)", "--source", source)
            }
            let unknown = try await scene.skyfs("flights", "上海", "亚特兰蒂斯", "2026-12-24", "--source", source)
            #expect(unknown.status == 3 && unknown.errors.contains("亚特兰蒂斯"), "\(unknown)")
            for (behaviour, status, words) in [
                (.quota, 10, "asked too often"), (.failure(status: 500), 1, "HTTP status 500"),
                (.shortened(to: 1000), 1, "no answer"), (.hostile(.page), 1, "no answer"),
            ] as [(DomesticAirlineBehaviour, Int32, String)] {
                service.play(behaviour, for: .flights)
                let command = try await ask("10")
                #expect(command.status == status && command.output.isEmpty, "\(behaviour): \(command)")
                #expect(
                    command.errors.contains("no flights from 上海 to 北京 on 2026-12-10") && command.errors.contains(words),
                    "\(behaviour): \(command)")
            }
            service.play(.normal, for: .flights)
            #expect(try await ask("11").succeeded)
            server.stop()
            let gone = try await ask("12")
            #expect(gone.status == 5 && gone.errors.contains("cannot be reached"), "\(gone)")
            // What is kept and no longer counts; JSON tells it, and so does standard error.
            let aged = try await scene.sh(
                """
                python3 -c 'import sqlite3; b = sqlite3.connect("cache/skyfs/flights/answers.sqlite"); \
                b.execute("UPDATE answer SET fetched = fetched - 200000000"); b.commit()'
                """)
            #expect(aged.succeeded, "\(aged)")
            let stale = try await ask("11")
            #expect(stale.succeeded && stale.text.contains("May be out of date") && stale.errors.isEmpty, "\(stale)")
            let csv = try await scene.skyfs("flights", "上海", "北京", "2026-12-11", "--source", source, "--csv")
            #expect(csv.succeeded && csv.errors.contains("may be out of date"), "\(csv)")
        }
    }

    @Test func mistakesAreSaidWithoutARequest() async throws {
        try await withService { scene, _, server, source async throws in
            for (words, told) in [
                (["上海", "北京"], "FROM, TO and DATE"), (["上海", "北京", "2026-02-30"], "no such day: 2026-02-30"),
                (["上海", "北京", "2026-2-3"], "YYYY-MM-DD"), (["上海", "北京", "2026-12-24", "--jsn"], "--json"),
                (["上海", "北京", "2026-12-24", "--source", "\(server.url)/"], "no flight service"),
                (["上海", "北京", "2026-12-24", "--source", "flights+\(server.url)/?userID=s3cret"], "userID"),
                (["上海", "北京", "2026-12-24", "-o", "flights_budgt=3"], "did you mean flights_budget?"),
                (["上海", "北京", "2026-12-24", "-o", "flights_budget=many"], "flights_budget"),
            ] {
                let command = try await scene.sh(
                    #""$S" flights "$@""#.replacing(
                        "\"$@\"", with: words.map { "'\($0)'" }.joined(separator: " ")))
                #expect(command.status == 2 && command.errors.contains(told), "\(words): \(command)")
                #expect(!command.errors.contains("s3cret"))
            }
            #expect(server.log.isEmpty)
            let same = try await scene.skyfs("flights", "上海", "SHA", "2026-12-24", "--source", source)
            #expect(same.status == 2 && same.errors.contains("same city"), "\(same)")
        }
    }

    /// A terminal never gets what would steer it.
    @Test func theServicesWordsAreCleaned() async throws {
        try await withService { scene, service, server, source async throws in
            service.play(.normal, for: .cities)
            server.on("*") { request, _ in
                if request.path.hasSuffix("getDomesticCity") { return service.answer(to: request) }
                return Answer(
                    status: 500, headers: [("Content-Type", "text/plain")], body: .text("Bad\u{1B}[31m\u{202E}\u{7}day")
                )
            }
            let command = try await scene.skyfs("flights", "上海", "北京", "2026-12-24", "--source", source)
            #expect(command.status == 1 && command.errors.contains("Bad\u{FFFD}[31m\u{FFFD}\u{FFFD}day"), "\(command)")
        }
    }
}
