import Glibc
package import Platform

/// One accepted connection, for responders that speak on it themselves. Used by the thread that serves it.
package final class ServerConnection: Sendable {
    let descriptor: Int32
    /// The number of the connection, from 0 in the order of their arrival.
    package let number: Int
    private let isReset = Lock(false)

    init(descriptor: Int32, number: Int) {
        self.descriptor = descriptor
        self.number = number
    }

    /// Sends all bytes; blocks while the peer does not take them.
    /// - Throws: EPIPE or ECONNRESET when the peer is gone or the server stops.
    package func write(_ bytes: [UInt8]) throws(Errno) {
        try write(bytes, moreFollows: false)
    }

    func write(_ bytes: [UInt8], moreFollows: Bool) throws(Errno) {
        // SAFETY: the pointer is used while the array is held.
        try bytes.withUnsafeBufferPointer { bytes throws(Errno) in
            try write(UnsafeRawBufferPointer(bytes), moreFollows: moreFollows)
        }
    }

    // SAFETY: the caller holds the bytes for the time of the call; `send` reads within `rest`.
    func write(_ bytes: UnsafeRawBufferPointer, moreFollows: Bool) throws(Errno) {
        let flags = Int32(MSG_NOSIGNAL | (moreFollows ? MSG_MORE : 0))
        var rest = bytes
        while !rest.isEmpty {
            let count = send(descriptor, rest.baseAddress, rest.count, flags)
            if count < 0 {
                if errno == EINTR { continue }
                throw Errno.current
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Waits for bytes of the peer.
    /// - Returns: an empty array when the peer or the server closed the connection.
    func read(atMost count: Int) throws(Errno) -> [UInt8] {
        while true {
            var failure: Errno?
            // SAFETY: `recv` writes at most `count` bytes and says how many.
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let result = recv(descriptor, buffer.baseAddress, count, 0)
                if result < 0 { failure = Errno.current }
                filled = max(0, result)
            }
            guard let failure else { return bytes }
            if failure != .interrupted { throw failure }
        }
    }

    /// Makes the close that follows a reset (RST) instead of an orderly end; a responder then returns nil. What was
    /// written before still arrives if the peer takes it within a second.
    package func reset() {
        var queued: Int32 = 0
        for _ in 0..<1000 {
            guard ioctl(descriptor, UInt(TIOCOUTQ), &queued) == 0, queued > 0 else { break }
            usleep(1000)
        }
        LoopbackSocket.resetWhenClosed(descriptor)
        isReset.withLock { $0 = true }
    }

    /// Silence: waits until the peer closes, the server stops, or the time is over.
    /// - Returns: whether the connection was closed.
    @discardableResult
    package func waitForClose(atMost duration: Duration) -> Bool {
        let deadline = Instant.now() + duration
        // POLLRDHUP of <poll.h>, which Glibc's module does not show: the peer has shut down its sending side.
        var entry = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        while true {
            let rest = (deadline - Instant.now()).wholeNanoseconds
            if rest <= 0 { return false }
            // Rounded up, so that a wait is never shorter than asked for; at most a minute a turn.
            let result = poll(&entry, 1, Int32(min(60_000, (rest - 1) / 1_000_000 + 1)))
            if result > 0 { return true }
            if result < 0, errno != EINTR { return true }
        }
    }

    /// Ends both directions, from any thread: wakes whoever reads, writes or waits here.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Tells the peer that nothing more comes, and takes what it still sends until it closes too, at most half a second:
    /// closing with unread bytes would send a reset and could destroy the answer.
    /// After `reset` it does nothing: an orderly end now would come before the reset.
    func finish() {
        if isReset.withLock({ $0 }) { return }
        shutdown(descriptor, Int32(SHUT_WR))
        let deadline = Instant.now() + .milliseconds(500)
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while Instant.now() < deadline {
            guard poll(&entry, 1, 50) >= 0 else { return }
            if entry.revents != 0, (try? read(atMost: 65_536))?.isEmpty ?? true { return }
        }
    }
}
