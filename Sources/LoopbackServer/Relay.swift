import Glibc
package import Platform

/// A TCP relay that puts distance in front of any server on 127.0.0.1: a delay each way and a rate per connection.
///
/// It stands in for a far network in tests and benchmarks. A new connection costs a round trip before its first byte
/// passes; ends and resets travel with the delay too. What is under way is bounded, then the sender is held back.
package final class Relay: Sendable {
    private let listener: Int32
    private let counter = ConnectionCounter()
    private let thread: Lock<Thread?>

    /// The port clients connect to.
    package let port: Int

    /// Relays from a free port at once.
    /// - Parameters:
    ///   - port: the server's.
    ///   - delay: one way; a round trip takes twice that.
    ///   - bytesPerSecond: of each connection and each way; nil for no limit.
    package init(to port: Int, delay: Duration, bytesPerSecond: Int64? = nil) throws(Errno) {
        let listener = try LoopbackSocket.listen(port: 0)
        self.listener = listener
        self.port = LoopbackSocket.port(of: listener)
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        let counter = counter
        do throws(Errno) {
            let started = try Thread.start(name: "relay") {
                var loop = RelayLoop(
                    listener: listener, serverPort: port, delay: delay, bytesPerSecond: bytesPerSecond,
                    counter: counter)
                loop.run()
            }
            thread = Lock(started)
        } catch {
            close(listener)
            throw error
        }
    }

    deinit { stop() }

    /// Closes the listener and all connections; returns when the thread has ended. Later calls do nothing.
    package func stop() {
        guard let running = thread.withLock({ $0.take() }) else { return }
        // Wakes the thread's `poll` with a hang-up.
        shutdown(listener, Int32(SHUT_RDWR))
        running.join()
        close(listener)
    }

    /// Connections accepted so far.
    package var connectionsOpened: Int { counter.total }
    /// Connections whose ends have not both passed yet.
    package var openConnections: Int { counter.openNow }
    /// The most connections open at once.
    package var maximumConcurrentConnections: Int { counter.maximum }
}
