import Glibc
import Platform

/// A client's connection and the one to the server behind it, with the link between them. Lives on the relay's thread.
struct RelayConnection {
    /// What flows from one socket to the other.
    private struct Direction {
        let source: Int32
        let target: Int32
        var pipe: RelayPipe
        /// Nothing more comes from the source.
        var hasSourceEnded = false
        /// The target took no more bytes when last tried.
        var isBlocked = false
        /// The target is gone; what still comes for it is dropped.
        var isTargetGone = false
        /// The end was delivered.
        var hasEnded = false
    }

    private var toServer: Direction
    private var toClient: Direction
    /// Both ends were delivered or one side was reset: the connection can be closed.
    private(set) var isFinished = false

    init(client: Int32, server: Int32, delay: Duration, bytesPerSecond: Int64?, now: Instant) {
        // The system has accepted at once; a real handshake takes a round trip before the client may send.
        toServer = Direction(
            source: client, target: server,
            pipe: RelayPipe(delay: delay, bytesPerSecond: bytesPerSecond, opens: now + delay * 2))
        toClient = Direction(
            source: server, target: client,
            pipe: RelayPipe(delay: delay, bytesPerSecond: bytesPerSecond, opens: now + delay))
    }

    func close() {
        Glibc.close(toServer.source)
        Glibc.close(toServer.target)
    }

    /// What to poll for, the client first.
    var pollEntries: [pollfd] {
        [Self.pollEntry(reading: toServer, writing: toClient), Self.pollEntry(reading: toClient, writing: toServer)]
    }

    /// When something waits to be delivered and the target takes it; nil if only the sockets can bring news.
    var nextDue: Instant? {
        [toServer, toClient].compactMap { $0.isBlocked ? nil : $0.pipe.nextDue }.min()
    }

    /// Moves what can be moved.
    /// - Parameter events: what `poll` said to `pollEntries`.
    mutating func run(client: Int16, server: Int16) {
        if client != 0 { toClient.isBlocked = false }
        if server != 0 { toServer.isBlocked = false }
        Self.read(&toServer, events: client)
        Self.read(&toClient, events: server)
        let isReset = Self.deliver(&toServer, reverse: &toClient) || Self.deliver(&toClient, reverse: &toServer)
        isFinished = isReset || toServer.hasEnded && toClient.hasEnded
    }

    private static func pollEntry(reading: Direction, writing: Direction) -> pollfd {
        var events: Int32 = 0
        if !reading.hasSourceEnded && reading.pipe.hasRoom { events |= POLLIN }
        if writing.isBlocked { events |= POLLOUT }
        // A socket with nothing to wait for would report its hang-up again and again.
        let descriptor = events == 0 && reading.hasSourceEnded ? -1 : reading.source
        return pollfd(fd: descriptor, events: Int16(events), revents: 0)
    }

    private static func read(_ direction: inout Direction, events: Int16) {
        // After a hang-up all that is left is read, room or not: the system holds only a bounded rest.
        let isHungUp = events & Int16(POLLERR | POLLHUP) != 0
        guard !direction.hasSourceEnded, isHungUp || events & Int16(POLLIN) != 0 else { return }
        // A bound on one turn, so that one busy connection does not delay the others.
        for _ in 0..<16 where isHungUp || direction.pipe.hasRoom {
            let size = direction.pipe.pieceSize
            var failure: Int32 = 0
            // SAFETY: `recv` writes at most `size` bytes and says how many.
            let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
                let count = recv(direction.source, buffer.baseAddress, size, 0)
                if count < 0 { failure = errno }
                filled = max(0, count)
            }
            if failure == EAGAIN || failure == EINTR { return }
            if failure == 0 && !bytes.isEmpty {
                direction.pipe.put(.bytes(bytes[...]), at: .now())
            } else {
                direction.pipe.put(failure == 0 ? .end : .reset, at: .now())
                direction.hasSourceEnded = true
                return
            }
        }
    }

    /// Sends what has arrived to the target, as far as it takes it.
    /// - Returns: whether a reset was delivered, which ends both directions.
    private static func deliver(_ direction: inout Direction, reverse: inout Direction) -> Bool {
        while !direction.isBlocked, let item = direction.pipe.item(at: .now()) {
            switch item {
            case .bytes(let bytes):
                let count = bytes.withUnsafeBytes {
                    direction.isTargetGone
                        ? $0.count : send(direction.target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count >= 0 {
                    direction.pipe.removeBytes(count)
                } else if errno == EAGAIN {
                    direction.isBlocked = true
                } else if errno != EINTR {
                    direction.isTargetGone = true
                    reverse.hasSourceEnded = true
                    reverse.pipe.put(.reset, at: .now())
                }
            case .end:
                direction.pipe.removeItem()
                shutdown(direction.target, Int32(SHUT_WR))
                direction.hasEnded = true
            case .reset:
                direction.pipe.removeItem()
                LoopbackSocket.resetWhenClosed(direction.target)
                return true
            }
        }
        return false
    }
}
