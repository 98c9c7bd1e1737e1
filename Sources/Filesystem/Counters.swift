import Synchronization

/// Gauges for the status report. Any thread. Every one is back at zero when nothing is open or waiting.
final class Counters: Sendable {
    struct Gauge: ~Copyable, Sendable {
        private let value = Atomic<Int>(0)
        func add(_ change: Int) { value.add(change, ordering: .relaxed) }
        var current: Int { value.load(ordering: .relaxed) }
    }

    let parkedReplies = Gauge()
    let openFiles = Gauge()
    let openDirectories = Gauge()
    let fetches = Gauge()
    /// Directories that are listed ahead of a walk.
    let listingsAhead = Gauge()
}
