package import Platform

/// The queries of one process that wait for their turn, in order of their coming. Pure; whoever holds it asks the shared
/// `RequestBudget` for the first of them and tells the decision.
package struct RequestQueue<Key: Hashable & Sendable>: Sendable {
    package enum Action: Hashable, Sendable {
        /// Ask the budget for a request for this query, then call `decided`.
        case ask(Key)
        /// It may be sent.
        case send(Key)
        /// Those who wait for it are told to try again later.
        case refuse(Key)
    }

    /// The longest wait for one's turn.
    package static var patience: Duration { .seconds(20) }

    private var waiting: [(key: Key, since: Instant)] = []
    /// The query the budget is being asked for.
    private var asked: Key?
    private var notBefore = Instant(nanoseconds: .min)

    package init() {}

    /// A query that needs an answer of the service. One that waits already stays where it is.
    package mutating func add(_ key: Key, now: Instant) -> [Action] {
        if !waiting.contains(where: { $0.key == key }) { waiting.append((key, now)) }
        return timePassed(now: now)
    }

    /// Nobody waits for it any more.
    package mutating func remove(_ key: Key) { waiting.removeAll { $0.key == key } }

    /// To be called at `nextDeadline`.
    package mutating func timePassed(now: Instant) -> [Action] {
        var actions: [Action] = []
        while let first = waiting.first, now - first.since >= Self.patience {
            waiting.removeFirst()
            actions.append(.refuse(first.key))
        }
        if asked == nil, now >= notBefore, let first = waiting.first {
            asked = first.key
            actions.append(.ask(first.key))
        }
        return actions
    }

    /// What the budget said about a query. If it allows a request for one that nobody waits for any more, the next takes it.
    package mutating func decided(_ decision: RequestBudget.Decision, now: Instant) -> [Action] {
        asked = nil
        switch decision {
        case .send:
            guard !waiting.isEmpty else { return [] }
            return [.send(waiting.removeFirst().key)] + timePassed(now: now)
        case .wait(let milliseconds):
            notBefore = now + .milliseconds(milliseconds)
            return timePassed(now: now)
        case .exhausted:
            defer { waiting = [] }
            return waiting.map { .refuse($0.key) }
        }
    }

    /// When `timePassed` has something to do; nil while nothing waits.
    package var nextDeadline: Instant? {
        guard let first = waiting.first else { return nil }
        let patience = first.since + Self.patience
        return asked == nil ? min(notBefore, patience) : patience
    }

    package var isEmpty: Bool { waiting.isEmpty }
}
