import Glibc
package import Platform

/// A child process in a process group of its own, whose output is collected by a thread.
///
/// The tests touch a mount only from such children: a system call that hangs then hangs a child, never the tests.
package final class ChildProcess: Sendable {
    private struct State {
        var exit: Exit?
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var waiters: [Waiter] = []
    }

    private struct Waiter {
        var remaining: Duration
        let continuation: CheckedContinuation<Exit?, Never>
    }

    /// How a process ended.
    package enum Exit: Hashable, Sendable {
        case status(Int32)
        case signal(Int32)
    }

    package let pid: Int32
    private let state = Lock(State())

    /// Starts a program with closed standard input, no blocked signals, and exactly the given environment.
    /// - Parameter arguments: the program, looked up in the environment's PATH, and its arguments.
    package init(_ arguments: [String], environment: [String: String], directory: String? = nil) throws(Errno) {
        let output = try Pipe()
        let errors = try Pipe()
        defer {
            close(output.writeEnd)
            close(errors.writeEnd)
        }
        do {
            pid = try Spawn.run(
                directory.map { ["env", "-C", $0] + arguments } ?? arguments, environment: environment,
                output: output.writeEnd, errors: errors.writeEnd)
            let (pid, state) = (pid, state)
            _ = try Thread.start(name: "child") {
                Self.collect(pid, output: output.readEnd, errors: errors.readEnd, into: state)
            }
        } catch {
            close(output.readEnd)
            close(errors.readEnd)
            throw error
        }
    }

    /// nil while it runs.
    package var exit: Exit? { state.withLock { $0.exit } }
    /// What it has written to standard output so far.
    package var output: [UInt8] { state.withLock { $0.output } }
    /// What it has written to standard error so far.
    package var errors: String { String(decoding: state.withLock { $0.errors }, as: UTF8.self) }

    /// Sends a signal to the process alone; does nothing once it has been waited for.
    package func signal(_ number: Int32) {
        state.withLock { if $0.exit == nil { _ = kill(pid, number) } }
    }

    /// Sends SIGKILL to the process and its children.
    package func killGroup() {
        state.withLock { if $0.exit == nil { _ = kill(-pid, SIGKILL) } }
    }

    /// Waits until the process has ended and its output was read.
    /// - Parameter limit: time in which the machine ran at all: a virtual machine that stands still for half a minute must
    ///   not fail the tests.
    /// - Returns: nil when `limit` is over first.
    package func wait(within limit: Duration) async -> Exit? {
        await withCheckedContinuation { continuation in
            let exit: Exit?? = state.withLock { state in
                if let exit = state.exit { return .some(exit) }
                state.waiters.append(Waiter(remaining: limit, continuation: continuation))
                return nil
            }
            if let exit { continuation.resume(returning: exit) }
        }
    }

    /// Reads both pipes until they are closed, or the process has been gone for a second and nothing is left in them, and
    /// wakes those who wait.
    private static func collect(_ pid: pid_t, output: Int32, errors: Int32, into state: Lock<State>) {
        var entries = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
        ]
        var status: Int32 = 0
        var gone: Instant?
        var last = Instant.now()
        while true {
            let isOpen = entries.contains { $0.fd >= 0 }
            let ready = poll(&entries, nfds_t(entries.count), isOpen && gone == nil ? 20 : 1)
            for index in entries.indices where ready > 0 && entries[index].fd >= 0 && entries[index].revents != 0 {
                var failure: Errno?
                let bytes = read(entries[index].fd, &failure)
                if let failure { state.withLock { $0.errors += Array("(output lost: \(failure))".utf8) } }
                if bytes.isEmpty {
                    close(entries[index].fd)
                    entries[index].fd = -1
                }
                state.withLock { state in
                    if index == 0 { state.output += bytes } else { state.errors += bytes }
                }
            }
            let now = Instant.now()
            if gone == nil, waitpid(pid, &status, WNOHANG) == pid { gone = now }
            if let gone, !isOpen || ready == 0 && now - gone > .seconds(1) { break }
            let step = min(now - last, .milliseconds(200))
            last = now
            let late = state.withLock { state in
                for index in state.waiters.indices { state.waiters[index].remaining -= step }
                defer { state.waiters.removeAll { $0.remaining <= .zero } }
                return state.waiters.filter { $0.remaining <= .zero }
            }
            for waiter in late { waiter.continuation.resume(returning: nil) }
        }
        for entry in entries where entry.fd >= 0 { close(entry.fd) }
        let signal = status & 0x7F
        let exit = signal == 0 ? Exit.status((status >> 8) & 0xFF) : Exit.signal(signal)
        let waiters = state.withLock { state in
            state.exit = exit
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: exit) }
    }

    /// The bytes that are there; none at the end.
    private static func read(_ descriptor: Int32, _ failure: inout Errno?) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            while true {
                let result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if result < 0, errno == EINTR { continue }
                if result < 0 { failure = Errno.current }
                count = max(0, result)
                return
            }
        }
    }
}

/// A pair of sockets, because Glibc's module does not show `pipe2`: both ends must be closed from the start in every other
/// program executed, so that no child holds the pipe of another open.
private struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws(Errno) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Errno.current }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }
}
