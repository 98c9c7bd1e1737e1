import Glibc
import Platform

/// Accepts connections on a loopback port and serves each on a thread of its own, until it is stopped.
final class Acceptor: Sendable {
    private struct State {
        var isStopped = false
        var connections: [Int: ServerConnection] = [:]
        var threads: [Int: Thread] = [:]
        /// Threads that are about to end, to be joined.
        var finished: [Int] = []
    }

    /// More connections at a time are closed at once: each costs a thread.
    private static let maximumConnections = 2048

    let port: Int
    private let listener: Int32
    private let numbers: ConnectionCounter
    private let state = Lock(State())
    private let thread: Lock<Thread?>

    /// Listens at once.
    /// - Parameter port: 0 for any free one.
    init(
        port: Int, counter: ConnectionCounter, serve: @escaping @Sendable (ServerConnection) -> Void
    ) throws(Errno) {
        let listener = try LoopbackSocket.listen(port: port)
        self.listener = listener
        self.port = LoopbackSocket.port(of: listener)
        numbers = counter
        thread = Lock(nil)
        let accepting: Thread
        do throws(Errno) {
            accepting = try Thread.start(name: "loop-accept") { [self] in acceptUntilStopped(serve) }
        } catch {
            close(listener)
            throw error
        }
        thread.withLock { $0 = accepting }
    }

    /// Ends the listener and all connections; returns when no thread of this is left. Later calls do nothing.
    func stop() {
        guard let accepting = thread.withLock({ $0.take() }) else { return }
        state.withLock { $0.isStopped = true }
        // Wakes `accept` with EINVAL.
        shutdown(listener, Int32(SHUT_RDWR))
        accepting.join()
        close(listener)
        let threads = state.withLock { state in
            for connection in state.connections.values { connection.shutDown() }
            defer { state.threads = [:] }
            return state.threads.values.map { $0 }
        }
        for thread in threads { thread.join() }
    }

    private func acceptUntilStopped(_ serve: @escaping @Sendable (ServerConnection) -> Void) {
        while true {
            let descriptor = accept(listener, nil, nil)
            if state.withLock({ $0.isStopped }) {
                if descriptor >= 0 { close(descriptor) }
                return
            }
            joinFinished()
            if descriptor < 0 {
                // Out of descriptors: those of ending connections come back.
                if errno != EINTR && errno != ECONNABORTED { usleep(1000) }
                continue
            }
            LoopbackSocket.prepare(descriptor)
            start(descriptor, serve)
        }
    }

    private func start(_ descriptor: Int32, _ serve: @escaping @Sendable (ServerConnection) -> Void) {
        let connection = ServerConnection(descriptor: descriptor, number: numbers.opened())
        let number = connection.number
        let hasRoom = state.withLock { state in
            guard state.connections.count < Self.maximumConnections else { return false }
            state.connections[number] = connection
            return true
        }
        let thread: Thread? =
            hasRoom
            ? try? Thread.start(name: "loop-\(number)") { [self] in
                serve(connection)
                numbers.closed()
                connection.finish()
                state.withLock { state in
                    // Under the lock, so that `stop` never touches a descriptor that is already someone else's.
                    close(descriptor)
                    state.connections[number] = nil
                    state.finished.append(number)
                }
            } : nil
        if let thread {
            state.withLock { $0.threads[number] = thread }
        } else {
            state.withLock { $0.connections[number] = nil }
            numbers.closed()
            close(descriptor)
        }
    }

    private func joinFinished() {
        let threads = state.withLock { state in
            // A thread can be done before the acceptor has stored its handle, which is why it is asked for here.
            defer { state.finished = [] }
            return state.finished.compactMap { state.threads.removeValue(forKey: $0) }
        }
        for thread in threads { thread.join() }
    }
}
