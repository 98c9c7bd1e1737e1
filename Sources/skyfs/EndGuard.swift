import Fuse
import Glibc
import Platform

/// Ends the mount at SIGINT or SIGTERM: asks the session to stop, and ends the process if that takes too long or a second
/// signal comes.
final class EndGuard: Sendable {
    private let session = Lock<Session?>(nil)
    private let graceAtEnd: Duration
    private let mountPoint: String

    init(graceAtEnd: Duration, mountPoint: String) {
        self.graceAtEnd = graceAtEnd
        self.mountPoint = mountPoint
    }

    /// Starts the thread that waits for signals. They must be blocked in all others.
    func start() {
        _ = try? Thread.start(name: "signals") { [self] in
            waitForEnd()
            guard let session = session.withLock({ $0 }) else { _exit(1) }
            session.stop()
            _ = try? Thread.start(name: "last-resort") { [self] in
                usleep(UInt32(graceAtEnd.wholeNanoseconds / 1000))
                leave(0)
            }
            waitForEnd()
            leave(1)
        }
    }

    /// From now on a signal ends this session in order.
    func watch(_ session: Session) { self.session.withLock { $0 = session } }

    private func waitForEnd() { while SignalMask.wait() == SIGHUP {} }

    private func leave(_ code: Int32) -> Never {
        try? Unmounting.unmount(mountPoint, isLazy: true)
        _exit(code)
    }
}
