import Glibc
import Platform

/// Accepts and serves the connections of a relay on one thread, until the listener is shut down.
struct RelayLoop {
    let listener: Int32
    let serverPort: Int
    let delay: Duration
    let bytesPerSecond: Int64?
    let counter: ConnectionCounter

    private var connections: [RelayConnection] = []

    init(
        listener: Int32, serverPort: Int, delay: Duration, bytesPerSecond: Int64?, counter: ConnectionCounter
    ) {
        self.listener = listener
        self.serverPort = serverPort
        self.delay = delay
        self.bytesPerSecond = bytesPerSecond
        self.counter = counter
    }

    mutating func run() {
        while true {
            var entries = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            for connection in connections { entries += connection.pollEntries }
            let result = wait(&entries)
            if entries[0].revents & Int16(POLLHUP | POLLERR) != 0 { break }
            for index in connections.indices {
                let client = result > 0 ? entries[1 + 2 * index].revents : 0
                let server = result > 0 ? entries[2 + 2 * index].revents : 0
                connections[index].run(client: client, server: server)
            }
            for connection in connections where connection.isFinished { close(connection) }
            connections.removeAll { $0.isFinished }
            if entries[0].revents & Int16(POLLIN) != 0 { acceptOne() }
        }
        for connection in connections { close(connection) }
    }

    /// Polls until something happens on a socket or the next bytes are due. `poll` counts in milliseconds; the rest
    /// is slept, so that a delay is kept to the tenth of a millisecond.
    private func wait(_ entries: inout [pollfd]) -> Int32 {
        guard let due = connections.compactMap(\.nextDue).min() else {
            return poll(&entries, nfds_t(entries.count), -1)
        }
        let rest = max(0, (due - Instant.now()).wholeNanoseconds)
        let result = poll(&entries, nfds_t(entries.count), Int32(min(60_000, rest / 1_000_000)))
        if result == 0 {
            let rest = (due - Instant.now()).wholeNanoseconds
            if rest > 0, rest < 1_000_000 { usleep(UInt32(rest / 1000)) }
        }
        return result
    }

    private mutating func acceptOne() {
        let client = accept(listener, nil, nil)
        guard client >= 0 else {
            // Out of descriptors: those of ending connections come back.
            if errno != EINTR && errno != ECONNABORTED { usleep(1000) }
            return
        }
        LoopbackSocket.prepare(client)
        _ = counter.opened()
        guard let server = try? LoopbackSocket.create() else {
            LoopbackSocket.resetWhenClosed(client)
            Glibc.close(client)
            counter.closed()
            return
        }
        LoopbackSocket.prepare(server)
        for descriptor in [client, server] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        if bytesPerSecond != nil {
            // A server must not be seen to have sent megabytes that a slow link has not carried yet.
            var size: Int32 = 262_144
            setsockopt(server, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        // A refusal comes as an error of the socket, and goes on to the client as a reset.
        _ = LoopbackSocket.withAddress(port: serverPort) { connect(server, $0, $1) }
        connections.append(
            RelayConnection(
                client: client, server: server, delay: delay, bytesPerSecond: bytesPerSecond, now: .now()))
    }

    private func close(_ connection: RelayConnection) {
        connection.close()
        counter.closed()
    }
}
