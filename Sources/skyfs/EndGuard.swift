import Fuse
import Glibc
import Platform

/// Ends the mount at SIGINT, SIGTERM or SIGHUP: asks the session to stop, and ends the process if that takes too long or a
/// second signal comes. SIGHUP may have another meaning.
final class EndGuard: Sendable {
    private enum Phase {
        /// Nothing is mounted yet: the process may simply end.
        case contacting
        case mounting
        /// A signal came while the mount was being made; it ends as soon as it is there.
        case mountingForNothing
        /// With what SIGHUP does; nil: it ends the mount.
        case serving(Session, hangUp: (@Sendable () -> Void)?)
    }

    private let phase = Lock(Phase.contacting)
    private let graceAtEnd: Duration

    /// - Parameter graceAtEnd: what the end may take.
    init(graceAtEnd: Duration) { self.graceAtEnd = graceAtEnd }

    /// Starts the thread that waits for signals. They must be blocked in all others.
    func start() {
        _ = try? Thread.start(name: "signals") { [self] in
            waitForEnding()
            let session: Session? = phase.withLock { phase in
                switch phase {
                case .contacting: _exit(ExitCode.failure.rawValue)
                case .mounting, .mountingForNothing:
                    phase = .mountingForNothing
                    return nil
                case .serving(let session, _): return session
                }
            }
            session?.stop()
            endBegins()
            waitForEnding()
            leave(.failure)
        }
    }

    private func waitForEnding() {
        while SignalMask.wait() == SIGHUP, let hangUp { hangUp() }
    }

    private var hangUp: (@Sendable () -> Void)? {
        phase.withLock { if case .serving(_, let hangUp) = $0 { hangUp } else { nil } }
    }

    /// From here until `watch` something may be mounted, so a signal no longer ends the process at once.
    func mountingBegins() { phase.withLock { $0 = .mounting } }

    /// From now on a signal ends this session in order; one that came before ends it now.
    /// - Parameter hangUp: what SIGHUP does instead, in the thread of the signals.
    func watch(_ session: Session, hangUp: (@Sendable () -> Void)?) {
        let isUnwanted = phase.withLock { phase in
            defer { phase = .serving(session, hangUp: hangUp) }
            if case .mountingForNothing = phase { return true } else { return false }
        }
        if isUnwanted { session.stop() }
    }

    /// What is left to do may take `graceAtEnd`, whatever hangs; then the process leaves with nothing mounted.
    func endBegins() {
        _ = try? Thread.start(name: "last-resort") { [self] in
            usleep(UInt32(graceAtEnd.wholeNanoseconds / 1000))
            leave(.success)
        }
    }

    private func leave(_ code: ExitCode) -> Never {
        let session: Session? = phase.withLock { if case .serving(let session, _) = $0 { session } else { nil } }
        // Not by path: somebody else may have mounted there since.
        session?.unmount()
        _exit(code.rawValue)
    }
}
