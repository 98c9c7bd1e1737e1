import Platform
import Testing

@testable import Segments

/// The number of connections, fed with measured rates.
struct FetchPlanTests {
    private var plan = FetchPlan(maximum: 7)
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var receiving = 0

    /// As many fetches as planned receive together at a rate, while readers wait.
    private mutating func receive(_ rate: Double, for duration: Duration = .milliseconds(60), isStarved: Bool = true) {
        let planned = plan.connections
        while receiving > planned {
            plan.noteEnd(hadBytes: true)
            receiving -= 1
        }
        while receiving < planned {
            plan.noteStart()
            plan.noteFirstByte(now: now)
            receiving += 1
        }
        let end = now + duration
        while now < end, plan.connections == planned {
            now = now + .milliseconds(1)
            if isStarved { plan.noteWait(readers: 1) }
            plan.noteBytes(Int64(rate / 1000), readers: 1, now: now)
        }
    }

    @Test mutating func aSlowLineTriesAllAllowed() {
        #expect(plan.connections == 1)
        #expect(plan.learned == nil)
        receive(20e6)
        #expect(plan.connections == 7)
        receive(140e6)
        #expect(plan.connections == 7)
        #expect(plan.learned == 7)
    }

    @Test mutating func aFastLineStepsUpWhileItPays() {
        receive(110e6)
        #expect(plan.connections == 2)
        receive(220e6)
        #expect(plan.connections == 4)
        receive(250e6)
        #expect(plan.connections == 2)
        #expect(plan.learned == 2)
    }

    @Test mutating func aStepThatDoesNotPayIsTakenBackUntilTheNextLook() {
        receive(20e6)
        #expect(plan.connections == 7)
        receive(22e6)
        #expect(plan.connections == 1)
        #expect(plan.learned == 1)
        receive(20e6, for: .seconds(5))
        #expect(plan.connections == 1)
        receive(20e6, for: .seconds(6))
        #expect(plan.connections == 7)
    }

    @Test mutating func aVeryFastLineTriesNothing() {
        receive(900e6, for: .seconds(1))
        #expect(plan.connections == 1)
        #expect(plan.learned == 1)
    }

    @Test mutating func aTaughtFileMakesSureAfterAWhile() {
        plan.adopt(learned: 1)
        receive(20e6, for: .milliseconds(900))
        #expect(plan.connections == 1)
        receive(20e6, for: .seconds(2))
        #expect(plan.connections == 7)
    }

    @Test mutating func onlyAStarvedReaderCausesGrowth() {
        receive(20e6, for: .seconds(3), isStarved: false)
        #expect(plan.connections == 1)
    }

    @Test mutating func overloadEndsInOneConnection() {
        receive(20e6)
        receive(140e6)
        #expect(plan.connections == 7)
        plan.noteOverload(now: now)
        #expect(plan.connections == 1)
        #expect(plan.learned == 1)
        receive(20e6, for: .seconds(9))
        #expect(plan.connections == 1)
    }

    @Test mutating func aFailureDuringAStepTakesItBack() {
        receive(20e6)
        #expect(plan.connections == 7)
        plan.noteFailure(now: now)
        #expect(plan.connections == 1)
    }

    @Test mutating func aStepThatCannotBeMeasuredIsTakenBack() {
        receive(20e6)
        #expect(plan.connections == 7)
        // The host gives no more connections: one goes on alone.
        for _ in 0..<2100 {
            now = now + .milliseconds(1)
            plan.noteBytes(20_000, readers: 1, now: now)
        }
        #expect(plan.connections == 1)
    }

    @Test mutating func learnedConnectionsAreTakenOverOnlyBeforeTheFirstFetch() {
        plan.adopt(learned: 5)
        #expect(plan.connections == 5)
        plan.adopt(learned: 100)
        #expect(plan.connections == 7)
        plan.noteStart()
        plan.adopt(learned: 2)
        #expect(plan.connections == 7)
    }

    @Test mutating func readersShareTheConnections() {
        plan.adopt(learned: 7)
        #expect(plan.share(readers: 1) == 7)
        #expect(plan.share(readers: 2) == 3)
        #expect(plan.share(readers: 9) == 1)
        plan = FetchPlan(maximum: 7)
        plan.noteWait(readers: 3)
        #expect(plan.connections == 3)
    }

    @Test func requestsAreLongAloneAndShorterTogether() {
        #expect(plan.length(window: 64 * mib, share: 1, rest: 1024 * mib, onTheWay: 0) == 32 * mib)
        #expect(plan.length(window: mib, share: 1, rest: 1024 * mib, onTheWay: 0) == mib)
        #expect(plan.length(window: 64 * mib, share: 7, rest: 1024 * mib, onTheWay: 0) == 9 * mib)
        #expect(plan.length(window: 64 * mib, share: 7, rest: 14 * mib, onTheWay: 7 * mib) == 3 * mib)
        #expect(plan.length(window: 4 * mib, share: 7, rest: 1024 * mib, onTheWay: 0) == 2 * mib)
    }

    @Test func theNextRequestStartsWhenTheLastIsNearlyThrough() {
        #expect(plan.mayStart(running: 0, share: 1, shortest: nil))
        #expect(!plan.mayStart(running: 1, share: 1, shortest: (rest: 2 * mib, length: 32 * mib)))
        #expect(plan.mayStart(running: 1, share: 1, shortest: (rest: mib, length: 32 * mib)))
        #expect(!plan.mayStart(running: 1, share: 1, shortest: (rest: 512 * kib, length: mib)))
        #expect(!plan.mayStart(running: 7, share: 7, shortest: (rest: 1, length: 32 * mib)))
    }
}
