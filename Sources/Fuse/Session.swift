import CFuse
import Glibc
package import Platform

/// One mounted file system: its kernel connection and the workers that serve it.
///
/// Order of life: `init`, `run` on a thread of its own, `stop` from any other, `unmount` after `run` has returned.
package final class Session: Sendable {
    private enum Phase {
        case idle
        /// The thread inside `run`; it leaves this phase before it returns, so the handle is valid.
        case running(pthread_t)
        case ended
    }

    private struct State {
        var phase = Phase.idle
        var isStopping = false
        var waker: Thread?
        var isMounted: Bool
    }

    /// Interrupts the wait of libfuse's loop. Ignored by default and used by nothing else here, so a stray one does no
    /// harm.
    private static let wakeSignal = SIGURG

    private let channel: Channel
    private let options: MountOptions
    private let log: Log
    private let mountPoint: String?
    /// "major:minor" of the mounted file system; nil without a kernel.
    private let device: String?
    private let state: Condition<State>

    /// Mounts; requests wait in the kernel until `run`.
    package init(
        handler: any Handler, options: MountOptions, mountPoint path: String, log: Log
    ) throws(MountError) {
        let mountPoint = try MountPoint(path, options: options)
        let channel = try Channel(handler: handler, options: options, log: log)
        let (result, words) = LibraryLog.capture { fuse_session_mount(channel.session, mountPoint.path) }
        guard result == 0 else { throw .refused(words) }
        do { try channel.attach(fuse_session_fd(channel.session)) } catch {
            fuse_session_unmount(channel.session)
            throw error
        }
        device = MountTable.current().mount(at: mountPoint.path)?.device
        channel.readAhead.setDevice(device)
        self.channel = channel
        self.options = options
        self.log = log
        self.mountPoint = mountPoint.path
        state = Condition(State(isMounted: true))
        Self.ignoreBrokenPipes()
    }

    /// A session that speaks the kernel's protocol over a socket of type SOCK_SEQPACKET instead of `/dev/fuse`.
    /// - Parameter socket: closed by the session at its end.
    package init(handler: any Handler, options: MountOptions, socket: Int32, log: Log) throws(MountError) {
        let channel = try Channel(handler: handler, options: options, log: log)
        try channel.attach(socket)
        self.channel = channel
        self.options = options
        self.log = log
        mountPoint = nil
        device = nil
        state = Condition(State(isMounted: false))
        Self.ignoreBrokenPipes()
    }

    deinit { unmount() }

    /// Serves requests until the file system is unmounted or `stop` is called. Blocks; call it once.
    package func run() {
        // The wake-up must reach this thread whatever mask it inherited.
        var signals = sigset_t()
        var earlier = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, Self.wakeSignal)
        pthread_sigmask(SIG_UNBLOCK, &signals, &earlier)
        defer { pthread_sigmask(SIG_SETMASK, &earlier, nil) }
        var action = sigaction()
        // No SA_RESTART: the wait has to return.
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(Self.wakeSignal, &action, nil)

        let mayRun = state.update { state in
            guard case .idle = state.phase, !state.isStopping else { return false }
            state.phase = .running(pthread_self())
            return true
        }
        guard mayRun else { return }
        let configuration = fuse_loop_cfg_create()
        fuse_loop_cfg_set_max_threads(configuration, UInt32(max(options.maxThreads, 1)))
        // One descriptor for all workers: a request parked on a cloned one would keep the connection alive after
        // unmount.
        fuse_loop_cfg_set_clone_fd(configuration, 0)
        let result = fuse_session_loop_mt(channel.session, configuration)
        fuse_loop_cfg_destroy(configuration)
        if result != 0 { log.error("the FUSE session ended: \(Errno(rawValue: abs(result)))") }

        let waker = state.update { state in
            state.phase = .ended
            defer { state.waker = nil }
            return state.waker
        }
        waker?.join()
    }

    /// Makes `run` return soon, also when every worker waits for the kernel. From any thread, also before `run`, more
    /// than once, and from a handler. Programs that wait for an answer go on waiting until `unmount`.
    package func stop() {
        state.update { state in
            guard !state.isStopping else { return }
            state.isStopping = true
            guard case .running(let thread) = state.phase else { return }
            fuse_session_exit(channel.session)
            pthread_kill(thread, Self.wakeSignal)
            // libfuse's loop looks at the flag when a signal interrupts its wait. One that comes between its look and
            // its wait is lost, so this repeats. (A request to the own mount would wake a worker too, but the loop
            // drops it unanswered: a process killed at that moment could not die.)
            let condition = self.state
            state.waker = try? Thread.start(name: "fuse-stop") {
                while true {
                    let hasEnded: Void? = condition.wait(until: Self.hasEnded, before: .now() + .milliseconds(5)) { _ in
                    }
                    if hasEnded != nil { return }
                    condition.update { if case .running = $0.phase { pthread_kill(thread, Self.wakeSignal) } }
                }
            }
        }
    }

    /// Takes the mount down, lazily when programs still use it; what they wait for ends with an error. Call it after
    /// `run` has returned. Replies given later go nowhere.
    package func unmount() {
        channel.gate.close()
        let isMounted = state.update { state in
            defer { state.isMounted = false }
            return state.isMounted
        }
        guard isMounted, let mountPoint else { return }
        fuse_session_unmount(channel.session)
        // libfuse leaves a mount alone whose connection was aborted, as a dead directory.
        if let device, MountTable.current().mount(at: mountPoint)?.device == device {
            MountPoint.detach(mountPoint)
        }
    }

    /// Raises the kernel's read-ahead above the 128 KiB that FUSE gets, now or as soon as the kernel is ready for it;
    /// files opened afterwards have it. Only root may; where it is not permitted nothing happens. Any thread.
    /// - Parameter kibibytes: with 20 ms per read, 64 MiB read in sequence took 5.3 s with 128 KiB, 0.74 s with 1 MiB
    ///   and 0.25 s with 4 MiB; from memory, 1 MiB gave 3.7 GB/s, 4 MiB 2.9 GB/s and 128 KiB 0.9 GB/s.
    package func raiseReadAhead(to kibibytes: Int = 1024) { channel.readAhead.setWanted(kibibytes: kibibytes) }

    private static func hasEnded(_ state: State) -> Bool { if case .ended = state.phase { true } else { false } }

    /// A peer that closed its end must not end the program.
    private static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
