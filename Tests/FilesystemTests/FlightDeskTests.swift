import Flights
import HTTP
import LoopbackServer
import MountHarness
import Platform
import Testing

@testable import Filesystem

/// The desk with a clock of the test's own, against the played service.
@Suite(.timeLimit(.minutes(2))) struct FlightDeskTests {
    private final class Scene: Sendable {
        let server: LoopbackServer
        let service = DomesticAirlineService()
        let client: HTTPClient
        let desk: FlightDesk
        /// Milliseconds since 1970.
        let time: Lock<Int64>
        let folder: String

        init(in folder: String, at start: Int64, daily: Int = 50) throws {
            self.folder = folder
            server = try LoopbackServer()
            let service = service
            server.on("*") { request, _ in service.answer(to: request) }
            client = try HTTPClient(HTTPConfiguration(userAgent: "skyfs-test/1", log: Log(.nowhere)))
            let time = Lock(start)
            self.time = time
            var source = FlightsSource(
                service: FlightService(address: "\(server.url)/webservices/DomesticAirline.asmx"))
            source.limits.daily = daily
            desk = try FlightDesk(
                source, cache: folder, client: client, patience: .seconds(30), log: Log(.nowhere),
                clock: { time.withLock { $0 } })
        }

        func pass(seconds: Int64) { time.withLock { $0 += seconds * 1000 } }

        func ask(_ day: String, from: String = "上海", to: String = "北京") async -> FlightDesk.FlightsResult {
            let date = FlightDate(day) ?? FlightDate(dayNumber: 0)
            return await withCheckedContinuation { continuation in
                desk.flights(FlightQuery(from: from, to: to, date: date)) { continuation.resume(returning: $0) }
            }
        }

        func cities() async -> CityDirectory {
            await withCheckedContinuation { continuation in desk.cities { continuation.resume(returning: $0) } }
        }

        var asked: Int { service.calls(of: .flights).count }
        var askedForCities: Int { service.calls(of: .cities).count }

        func end() {
            desk.shutdown()
            client.shutdown()
            server.stop()
        }
    }

    /// 2026-12-01 12:00 in China.
    private static let noon: Int64 = 1_796_097_600_000

    private func withDesk(
        at start: Int64 = noon, daily: Int = 50, _ body: (Scene) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        var failure: (any Error)?
        do {
            let scene = try Scene(in: "\(scratch.path)/cache", at: start, daily: daily)
            do { try await body(scene) } catch { failure = error }
            scene.end()
        } catch { failure = error }
        await scratch.remove()
        if let failure { throw failure }
    }

    @Test func answersCountForTheirTime() async throws {
        try await withDesk { scene async throws in
            for day in ["2026-12-01", "2026-12-05", "2026-11-30"] { _ = try await scene.ask(day).get() }
            #expect(scene.asked == 3)
            scene.pass(seconds: 599)
            for day in ["2026-12-01", "2026-12-05", "2026-11-30"] { _ = try await scene.ask(day).get() }
            #expect(scene.asked == 3)
            scene.pass(seconds: 2)
            _ = try await scene.ask("2026-12-01").get()
            #expect(scene.asked == 4)
            scene.pass(seconds: 6 * 3600)
            for day in ["2026-12-05", "2026-11-30"] { _ = try await scene.ask(day).get() }
            #expect(scene.asked == 5)
            // The clock was set back: an answer from the future does not count, but of a past day it does.
            scene.pass(seconds: -10 * 86_400)
            _ = try await scene.ask("2026-12-05").get()
            #expect(scene.asked == 6)
        }
    }

    @Test func daysRollOverAtTheServicesMidnight() async throws {
        // 2026-12-01 23:59:59 in China.
        try await withDesk(at: Self.noon + 43_199_000) { scene async throws in
            #expect(scene.desk.listedDates.map(\.description).first == "2026-12-01")
            #expect(scene.desk.listedDates.map(\.description).last == "2026-12-08")
            // Of tomorrow, so it would count for hours.
            let first = try await scene.ask("2026-12-02").get()
            scene.pass(seconds: 1)
            #expect(scene.desk.listedDates.map(\.description).first == "2026-12-02")
            #expect(scene.desk.listedDates.map(\.description).last == "2026-12-09")
            #expect(try await scene.ask("2026-12-02").get().fetched == first.fetched)
            scene.pass(seconds: 600)
            #expect(try await scene.ask("2026-12-02").get().fetched > first.fetched)
            #expect(scene.asked == 2)
        }
    }

    @Test func budgetBeginsAnewAtTheServicesMidnight() async throws {
        try await withDesk(at: Self.noon + 43_199_000, daily: 1) { scene async throws in
            _ = try await scene.ask("2026-12-10").get()
            guard case .failure(.budgetSpent) = await scene.ask("2026-12-11") else {
                Issue.record("no budget")
                return
            }
            #expect(scene.desk.report.usedToday == 1)
            scene.pass(seconds: 1)
            _ = try await scene.ask("2026-12-11").get()
            #expect(scene.desk.report.usedToday == 1 && scene.desk.report.requests == 2)
        }
    }

    @Test func whoAsksTheSameSharesARequest() async throws {
        try await withDesk { scene async throws in
            scene.service.play(.slow(.milliseconds(500)), for: .flights)
            let fetched = try await withThrowingTaskGroup(of: Int64.self) { group in
                for _ in 0..<50 { group.addTask { try await scene.ask("2026-12-10").get().fetched } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(fetched.count == 1 && scene.asked == 1)
        }
    }

    @Test func failedAnswerGivesWhatIsKeptAndSaysWhy() async throws {
        try await withDesk { scene async throws in
            let fresh = try await scene.ask("2026-12-10").get()
            #expect(fresh.staleReason == nil)
            scene.pass(seconds: 86_400)
            scene.service.play(.quota, for: .flights)
            let stale = try await scene.ask("2026-12-10").get()
            #expect(stale.flights == fresh.flights && stale.fetched == fresh.fetched)
            #expect(stale.staleReason?.contains("asked too often") == true)
            #expect(scene.desk.report.lastError == stale.staleReason)
            scene.service.play(.normal, for: .flights)
            #expect(try await scene.ask("2026-12-10").get().staleReason == nil)
            #expect(scene.desk.report.lastError == nil)
        }
    }

    @Test func unknownCityIsNotAskedForAgainSoon() async throws {
        try await withDesk { scene async throws in
            for _ in 0..<3 {
                guard case .failure(.service(.unknownCity)) = await scene.ask("2026-12-10", to: "火星") else {
                    Issue.record("known")
                    return
                }
            }
            #expect(scene.asked == 1)
            scene.pass(seconds: 601)
            _ = await scene.ask("2026-12-10", to: "火星")
            #expect(scene.asked == 2)
        }
    }

    @Test func listOfCitiesThatDoesNotComeIsAskedForEveryTenMinutes() async throws {
        try await withDesk { scene async throws in
            scene.service.play(.failure(status: 500), for: .cities)
            for _ in 0..<3 { #expect(await scene.cities().entries.count > 100) }
            #expect(scene.askedForCities == 1)
            scene.pass(seconds: 601)
            scene.service.play(.normal, for: .cities)
            _ = await scene.cities()
            // In the background: who asks meanwhile has what is known.
            #expect(await eventually { scene.desk.knownCities?.entries.count == 41 })
            #expect(scene.askedForCities == 2)
            scene.pass(seconds: 7 * 86_400 - 10)
            for _ in 0..<3 { #expect(await scene.cities().entries.count == 41) }
            #expect(scene.askedForCities == 2)
            scene.pass(seconds: 20)
            _ = await scene.cities()
            #expect(await eventually { scene.askedForCities == 3 })
        }
    }

    /// All who find the kept list at the same time.
    @Test func listThatIsKeptIsNotAskedForByACrowd() async throws {
        try await withDesk { scene async throws in
            _ = await scene.cities()
            for _ in 0..<5 {
                let second = try FlightDesk(
                    FlightsSource(
                        service: FlightService(address: "\(scene.server.url)/webservices/DomesticAirline.asmx")),
                    cache: scene.folder, client: scene.client, patience: .seconds(30), log: Log(.nowhere),
                    clock: { scene.time.withLock { $0 } })
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<50 {
                        group.addTask {
                            await withCheckedContinuation { continuation in
                                second.cities { _ in continuation.resume() }
                            }
                        }
                    }
                }
                second.shutdown()
            }
            #expect(scene.askedForCities == 1)
        }
    }

    @Test func pauseThatTheServerAsksForIsKept() async throws {
        try await withDesk { scene async throws in
            let fresh = try await scene.ask("2026-12-10").get()
            scene.pass(seconds: 86_400)
            scene.server.on("*") { _, _ in Answer(status: 503, headers: [("Retry-After", "100")]) }
            #expect(try await scene.ask("2026-12-10").get().staleReason?.contains("503") == true)
            let used = scene.desk.report.usedToday
            let log = scene.server.log.count
            guard case .failure(.paused) = await scene.ask("2026-12-11") else {
                Issue.record("no pause")
                return
            }
            let stale = try await scene.ask("2026-12-10").get()
            #expect(stale.flights == fresh.flights && stale.staleReason?.contains("pause") == true)
            #expect(scene.server.log.count == log && scene.desk.report.usedToday == used)
        }
    }

    /// As users do with caches.
    @Test func folderThatIsRemovedMeanwhileIsMadeAnew() async throws {
        try await withDesk { scene async throws in
            _ = try await scene.ask("2026-12-10").get()
            let removed = try await Command.run(["rm", "-r", scene.folder])
            #expect(removed.succeeded)
            _ = try await scene.ask("2026-12-11").get()
            _ = try await scene.ask("2026-12-11").get()
            #expect(scene.asked == 2)
            let found = try await Command.run(["ls", "\(scene.folder)/flights"])
            #expect(found.lines.contains("answers.sqlite") && found.lines.contains("requests.sqlite"), "\(found)")
        }
    }

    @Test func whoStillWaitsAtTheEndIsTold() async throws {
        let scratch = try Scratch()
        let scene = try Scene(in: "\(scratch.path)/cache", at: Self.noon)
        scene.service.play(.slow(.seconds(60)), for: .flights)
        scene.service.play(.slow(.seconds(60)), for: .cities)
        let told = Lock<[FlightDesk.FlightsResult]>([])
        let cities = Lock(0)
        scene.desk.cities { _ in cities.withLock { $0 += 1 } }
        for day in 10...14 {
            let date = FlightDate("2026-12-\(day)") ?? FlightDate(dayNumber: 0)
            scene.desk.flights(FlightQuery(from: "上海", to: "北京", date: date)) { result in
                told.withLock { $0.append(result) }
            }
        }
        #expect(await eventually { scene.asked + scene.askedForCities > 0 })
        scene.end()
        #expect(told.withLock { $0.count } == 5)
        #expect(cities.withLock { $0 } == 1)
        // Later questions end at once.
        guard case .failure(.transfer(.cancelled)) = await scene.ask("2026-12-20") else {
            Issue.record("an answer after the end")
            return
        }
        _ = await scene.cities()
        await scratch.remove()
    }
}
