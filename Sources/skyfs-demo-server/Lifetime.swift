import Glibc

/// How long the program runs: it must not outlive whoever started it.
enum Lifetime {
    /// What the signal handler writes to and `waitForEnd` reads from; both -1 if there are no descriptors left.
    fileprivate static let wakeup: (read: Int32, write: Int32) = {
        var pair: [Int32] = [-1, -1]
        _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
        return (pair[0], pair[1])
    }()

    /// Makes SIGTERM and SIGINT end `waitForEnd`, also when the parent had them blocked.
    static func catchSignals() {
        // Made here: the handler must find it ready.
        guard wakeup.write >= 0 else { return }
        var action = sigaction()
        action.__sigaction_handler.sa_handler = noteSignal
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT] {
            sigaction(signal, &action, nil)
            sigaddset(&signals, signal)
        }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Returns at SIGTERM or SIGINT, or when standard input ends.
    static func waitForEnd() {
        var entries = [
            pollfd(fd: wakeup.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inputTellsEnd ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            if poll(&entries, 2, -1) < 0, errno != EINTR { return }
            if entries[0].revents != 0 { return }
            if entries[1].revents != 0, hasInputEnded() { return }
        }
    }

    /// Whether the end of standard input means that its other side is gone. A shell gives background jobs /dev/null,
    /// which ends at once and means nothing.
    private static var inputTellsEnd: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFIFO || kind == S_IFSOCK || isatty(STDIN_FILENO) == 1
    }

    /// Takes what there is; it means nothing but that the other side is still there.
    private static func hasInputEnded() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        return count == 0 || count < 0 && errno != EINTR && errno != EAGAIN
    }
}

/// The signal handler; may run on any thread at any point, and must not be noticed there.
private func noteSignal(_: Int32) {
    let before = errno
    var byte: UInt8 = 0
    _ = write(Lifetime.wakeup.write, &byte, 1)
    errno = before
}
