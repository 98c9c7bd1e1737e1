/// One thread that runs jobs in the order they came. For work that may block on the disk or burn CPU (parsing, index).
package final class SerialQueue: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let state: Condition<State>
    private let thread: Thread

    package init(name: String) throws(Errno) {
        let state = Condition(State())
        self.state = state
        thread = try Thread.start(name: name) { Self.run(state) }
    }

    /// Enqueues a job from any thread. After `close` it is dropped.
    package func async(_ job: @escaping @Sendable () -> Void) {
        state.update { if !$0.isClosed { $0.jobs.append(job) } }
    }

    /// Runs what is queued, then ends the thread and returns. Call it once, not from a job.
    package func close() {
        state.update { $0.isClosed = true }
        thread.join()
    }

    private static func run(_ state: Condition<State>) {
        while true {
            let (jobs, isClosed) = state.wait(until: { !$0.jobs.isEmpty || $0.isClosed }) { state in
                defer { state.jobs.removeAll() }
                return (state.jobs, state.isClosed)
            }
            for job in jobs { job() }
            if isClosed && jobs.isEmpty { return }
        }
    }
}
