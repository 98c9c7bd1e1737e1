import FoundationEssentials
import Glibc
import Platform
import Testing

@testable import Store

struct RequestBudgetTests {
    private let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    private func budget(limit: Int = 50, interval: Duration = .milliseconds(600)) throws -> RequestBudget {
        try RequestBudget(
            folder: temporary.path, limit: limit, interval: interval, patience: .seconds(20), log: Log(.nowhere))
    }

    @Test func eachDayHasItsOwnCount() throws {
        let budget = try budget(limit: 2, interval: .zero)
        #expect(try budget.count(day: 100) == 0)
        for day in [100, 101, 99] as [Int64] {
            #expect(try budget.take(now: 5, day: day) == .granted(after: .zero))
            #expect(try budget.take(now: 5, day: day) == .granted(after: .zero))
            #expect(try budget.take(now: 5, day: day) == .exhausted)
            #expect(try budget.count(day: day) == 2)
        }
        #expect(try budget.take(now: 5, day: 100) == .exhausted, "going back gives nothing")
    }

    @Test func oldDaysAreForgotten() throws {
        let budget = try budget(limit: 1, interval: .zero)
        for day in 0..<100 as Range<Int64> { _ = try budget.take(now: 5, day: day) }
        #expect(try budget.count(day: 69) == 0)
        #expect(try budget.count(day: 70) == 1)
    }

    @Test func crowdedRequestsDoNotCount() throws {
        let budget = try budget(limit: 1000)
        let answers = try (0..<40).map { _ in try budget.take(now: 1_000_000, day: 1) }
        #expect(answers.count { $0 == .crowded } == 6)
        #expect(try budget.count(day: 1) == 34)
    }

    @Test func theCountOutlivesTheProcess() throws {
        #expect(try budget(limit: 2).take(now: 1_000_000, day: 1) == .granted(after: .zero))
        #expect(try budget(limit: 2).take(now: 1_000_000, day: 1) == .granted(after: .milliseconds(600)))
        #expect(try budget(limit: 2).take(now: 1_000_000, day: 1) == .exhausted)
    }

    /// Each with a connection of its own, as processes have.
    @Test func manyAtOnceShareOneBudget() throws {
        let answers = Condition<[RequestPermission]>([])
        let threads = try (0..<6).map { _ in
            let budget = try budget(limit: 30)
            return try Thread.start(name: "asking") {
                for _ in 0..<10 {
                    guard let answer = try? budget.take(now: 1_000_000, day: 1) else { continue }
                    answers.update { $0.append(answer) }
                }
            }
        }
        for thread in threads { thread.join() }
        let all = answers.update { $0 }
        #expect(all.count == 60, "none failed")
        #expect(all.count { $0 == .exhausted } == 30)
        let pauses = all.compactMap { answer in if case .granted(let pause) = answer { pause } else { nil } }
        #expect(pauses.sorted() == (0..<30).map { .milliseconds(600 * $0) }, "no two go out at the same time")
    }

    @Test func aDamagedCountIsBegunAnew() throws {
        #expect(try budget().take(now: 5, day: 1) == .granted(after: .zero))
        try Data([UInt8](repeating: 7, count: 5000)).write(to: URL(filePath: temporary.path + "/requests.sqlite"))
        #expect(try budget().count(day: 1) == 0)
        #expect(try budget().take(now: 5, day: 1) == .granted(after: .zero))
        #expect(try budget().count(day: 1) == 1)
    }

    /// Several processes that find the damage at the same time make one new count, not one each.
    @Test func onlyOneRepairsTheDamage() throws {
        try Data([UInt8](repeating: 7, count: 5000)).write(to: URL(filePath: temporary.path + "/requests.sqlite"))
        let failures = Condition(0)
        let threads = try (0..<6).map { _ in
            try Thread.start(name: "opening") {
                let answer = try? budget(interval: .zero).take(now: 5, day: 1)
                if answer == nil { failures.update { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.update { $0 } == 0)
        #expect(try budget().count(day: 1) == 6)
    }
}
