import Glibc

/// The signals that end a mount, and who gets them.
enum SignalMask {
    private static let ending = [SIGINT, SIGTERM, SIGHUP]

    static func clear() {
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    /// In this thread and all it starts: `wait` gets them instead.
    static func blockEnding() {
        var set = endingSet
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for one of them; they must be blocked in all threads.
    static func wait() -> Int32 {
        var set = endingSet
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }

    private static var endingSet: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in ending { sigaddset(&set, signal) }
        return set
    }
}
