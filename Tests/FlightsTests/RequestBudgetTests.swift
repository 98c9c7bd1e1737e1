import Flights
import Platform
import Testing

@Suite struct RequestBudgetTests {
    private static let now: Int64 = 1_766_505_600_000 + 3_600_000

    @Test func sixHundredMillisecondsApart() {
        var budget = RequestBudget()
        #expect(budget.decide(now: Self.now, limit: 50) == .send)
        #expect(budget.decide(now: Self.now, limit: 50) == .wait(600))
        #expect(budget.decide(now: Self.now + 599, limit: 50) == .wait(1))
        #expect(budget.count == 1)
        #expect(budget.decide(now: Self.now + 600, limit: 50) == .send)
        #expect(budget.count == 2 && budget.last == Self.now + 600)
    }

    @Test func fiftyADay() {
        var budget = RequestBudget()
        for index in 0..<50 { #expect(budget.decide(now: Self.now + Int64(index) * 600, limit: 50) == .send) }
        let end: Int64 = 1_766_505_600 + 86_400
        #expect(budget.decide(now: Self.now + 100_000, limit: 50) == .exhausted(until: end))
        #expect(budget.decide(now: end * 1000 - 1, limit: 50) == .exhausted(until: end))
        #expect(budget.decide(now: end * 1000, limit: 50) == .send)
        #expect(budget.count == 1)
        #expect(budget.decide(now: end * 1000 + 600, limit: 0) == .exhausted(until: end + 86_400))
    }

    @Test func aClockSetBackDoesNotBlock() {
        var budget = RequestBudget()
        #expect(budget.decide(now: Self.now, limit: 50) == .send)
        #expect(budget.decide(now: Self.now - 3_000_000, limit: 50) == .send)
        #expect(budget.count == 2)
    }
}

@Suite struct RequestQueueTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test func oneAfterTheOther() {
        var queue = RequestQueue<String>()
        #expect(queue.nextDeadline == nil)
        #expect(queue.add("a", now: at(0)) == [.ask("a")])
        #expect(queue.add("b", now: at(1)) == [] && queue.add("a", now: at(2)) == [])
        #expect(queue.decided(.send, now: at(3)) == [.send("a"), .ask("b")])
        #expect(queue.decided(.wait(597), now: at(3)) == [])
        #expect(queue.nextDeadline == at(600))
        #expect(queue.timePassed(now: at(599)) == [] && queue.timePassed(now: at(600)) == [.ask("b")])
        #expect(queue.decided(.send, now: at(600)) == [.send("b")] && queue.isEmpty)
    }

    @Test func twentySecondsAtMost() {
        var queue = RequestQueue<String>()
        _ = queue.add("a", now: at(0))
        _ = queue.add("b", now: at(5000))
        #expect(queue.nextDeadline == at(20_000))
        #expect(queue.timePassed(now: at(20_000)) == [.refuse("a")])
        // What was asked for the one that left is the next one's.
        #expect(queue.decided(.send, now: at(20_001)) == [.send("b")])
    }

    @Test func exhaustedRefusesAll() {
        var queue = RequestQueue<Int>()
        for key in 0..<3 { _ = queue.add(key, now: at(0)) }
        #expect(queue.decided(.exhausted(until: 0), now: at(1)) == [.refuse(0), .refuse(1), .refuse(2)])
        #expect(queue.isEmpty && queue.add(7, now: at(2)) == [.ask(7)])
        queue.remove(7)
        #expect(queue.decided(.send, now: at(3)) == [])
    }

    /// Through the shared budget: no two requests nearer than 600 ms, everyone served or refused, in order.
    @Test(arguments: 0..<50) func randomOperations(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        var queue = RequestQueue<Int>()
        var budget = RequestBudget()
        var sent: [(key: Int, time: Int64)] = []
        var ended: Set<Int> = []
        var next = 0
        var now: Int64 = 1_766_505_600_000
        func run(_ actions: [RequestQueue<Int>.Action]) {
            var actions = actions
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .ask: actions += queue.decided(budget.decide(now: now, limit: 40), now: at(now))
                case .send(let key):
                    sent.append((key, now))
                    #expect(ended.insert(key).inserted)
                case .refuse(let key): #expect(ended.insert(key).inserted)
                }
            }
        }
        for _ in 0..<400 {
            if random.next() % 3 == 0, next < 60 {
                run(queue.add(next, now: at(now)))
                next += 1
            } else if let deadline = queue.nextDeadline {
                now = max(now, deadline.nanoseconds / 1_000_000)
                run(queue.timePassed(now: at(now)))
            }
            now += Int64(random.next() % 300)
        }
        #expect(queue.isEmpty && ended.count == next && sent.count <= 40 && !sent.isEmpty)
        #expect(sent.map(\.key) == sent.map(\.key).sorted())
        for (earlier, later) in zip(sent, sent.dropFirst()) { #expect(later.time - earlier.time >= 600) }
    }
}
