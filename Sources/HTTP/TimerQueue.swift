import Platform

/// Jobs by the time they are due: a binary heap with lazy removal. Pure but for the jobs it holds.
struct TimerQueue {
    private var heap: [(due: Instant, id: TimerID)] = []
    private var jobs: [TimerID: @Sendable () -> Void] = [:]

    mutating func add(_ id: TimerID, due: Instant, _ job: @escaping @Sendable () -> Void) {
        jobs[id] = job
        heap.append((due, id))
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func remove(_ id: TimerID) {
        jobs[id] = nil
        // Cancelled watchdogs of many short transfers must not pile up.
        if heap.count > 64, heap.count > 4 * jobs.count {
            let live = heap.filter { jobs[$0.id] != nil }.sorted { $0.due < $1.due }
            heap = live
        }
    }

    var nextDue: Instant? { heap.first?.due }

    /// The next job that is due; nil if there is none.
    mutating func next(now: Instant) -> (@Sendable () -> Void)? {
        while let first = heap.first, first.due <= now {
            removeFirst()
            if let job = jobs.removeValue(forKey: first.id) { return job }
        }
        return nil
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].due < heap[least].due
            {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
