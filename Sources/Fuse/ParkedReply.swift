import CFuse
package import Platform

/// A reply that will be given later, by whoever comes first: the data, a deadline, an interrupt. The deadline is the
/// caller's business. Dropping it untaken answers EIO.
package final class ParkedReply: Sendable {
    private struct State {
        /// nil once taken.
        // SAFETY: libfuse lets any thread answer; the one who clears it here owns the answer.
        nonisolated(unsafe) var request: OpaquePointer?
        var isRegistering = true
        /// The interrupt function has run or is running. libfuse does not call it a second time.
        var isInterrupted = false
    }

    /// When it was parked.
    package let since: Instant
    private let state: Lock<State>
    private let interrupted: @Sendable (ParkedReply) -> Void
    private let registration = InterruptRegistration()

    /// Parks a reply and listens for the kernel's wish to interrupt the request.
    /// - Parameter interrupted: called at most once, on any thread, possibly before `park` returns (then on this
    ///   thread) and never after the reply was taken. It decides when to answer, now or later; no lock of the bridge is
    ///   held.
    package static func park(
        _ reply: consuming Reply, interrupted: @escaping @Sendable (ParkedReply) -> Void
    ) -> ParkedReply {
        ParkedReply(reply.relinquish(), interrupted)
    }

    private init(_ request: OpaquePointer, _ interrupted: @escaping @Sendable (ParkedReply) -> Void) {
        since = .now()
        state = Lock(State(request: request))
        self.interrupted = interrupted
        registration.parked = self
        // If the request is interrupted already, this calls the function at once, on this thread and with the request's
        // lock held: a reply from inside would free that lock. So the function only takes note while `isRegistering`.
        fuse_req_interrupt_func(request, interruptArrived, Unmanaged.passRetained(registration).toOpaque())
        let isInterrupted = state.withLock { state in
            state.isRegistering = false
            return state.isInterrupted
        }
        if isInterrupted { interrupted(self) }
    }

    deinit { if let reply = take() { reply.fail(.io) } }

    /// The reply, to the one caller that comes first; nil to all others. The interrupt function is unregistered before
    /// it returns. Any thread, also inside `interrupted` and with locks held.
    package func take() -> Reply? {
        let taken = state.withLock { state -> (request: OpaquePointer, isInterrupted: Bool)? in
            guard let request = state.request else { return nil }
            state.request = nil
            return (request, state.isInterrupted)
        }
        guard let taken else { return nil }
        // Waits for an interrupt function that is about to start, which then finds nothing to do. One that has taken
        // note already may still be running, perhaps on this thread: waiting for it would deadlock and is not needed,
        // because libfuse keeps the request until it returns.
        if !taken.isInterrupted { fuse_req_interrupt_func(taken.request, nil, nil) }
        // SAFETY: balances `passRetained` in `init`; only one caller gets here.
        Unmanaged.passUnretained(registration).release()
        return Reply(resuming: taken.request)
    }

    fileprivate func noteInterrupt() {
        let isNow = state.withLock { state in
            guard state.request != nil, !state.isInterrupted else { return false }
            state.isInterrupted = true
            return !state.isRegistering
        }
        if isNow { interrupted(self) }
    }
}

/// What libfuse holds of a parked reply. Weak, so that a reply dropped by everyone else ends with EIO.
// SAFETY: `parked` is written once, before libfuse gets the object; loading a weak reference is thread-safe.
private final class InterruptRegistration: @unchecked Sendable {
    weak var parked: ParkedReply?
}

/// Runs on the worker that read INTERRUPT, or inside the registration.
private func interruptArrived(_: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    guard let data else { return }
    // SAFETY: the registration holds a reference until it is undone, and undoing waits for this function to begin.
    Unmanaged<InterruptRegistration>.fromOpaque(data).takeUnretainedValue().parked?.noteInterrupt()
}
