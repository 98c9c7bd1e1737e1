import Platform

/// Numbers connections and counts how many there were, in all and at once.
final class ConnectionCounter: Sendable {
    private struct State {
        var opened = 0
        var openNow = 0
        var maximum = 0
        /// Connections opened before the last reset; numbers go on, counts start again.
        var before = 0
    }

    private let state = Lock(State())

    var total: Int { state.withLock { $0.opened - $0.before } }
    var openNow: Int { state.withLock { $0.openNow } }
    var maximum: Int { state.withLock { $0.maximum } }

    /// - Returns: the number of the new connection, from 0.
    func opened() -> Int {
        state.withLock { state in
            state.openNow += 1
            state.maximum = max(state.maximum, state.openNow)
            defer { state.opened += 1 }
            return state.opened
        }
    }

    func closed() { state.withLock { $0.openNow -= 1 } }

    func reset() {
        state.withLock {
            $0.before = $0.opened
            $0.maximum = $0.openNow
        }
    }
}
