import CCurl
package import Platform

/// Runs HTTP requests on one thread of its own. All methods may be called from any thread, also from consumers and jobs,
/// and never block, except `shutdown`.
package final class HTTPClient: Sendable {
    enum Command: Sendable {
        case start(TransferID, Request, any ResponseConsumer)
        case upload(TransferID, FormUpload, any UploadObserver)
        case cancel(TransferID)
        case pause(TransferID, Bool)
        case schedule(TimerID, Instant, @Sendable () -> Void)
        case cancelTimer(TimerID)
        case shutdown
    }

    private struct Inbox: Sendable {
        var commands: [Command] = []
        /// Whether the network thread was woken for what is in `commands`: a burst costs one wake-up.
        var isAwake = false
        var isClosed = false
        var nextID: UInt64 = 1
    }

    private let inbox = Lock(Inbox())
    private let loop: NetworkLoop
    private let thread: Thread

    /// Starts the network thread.
    package init(_ configuration: HTTPConfiguration) throws(Errno) {
        let loop = try NetworkLoop(configuration)
        self.loop = loop
        let inbox = inbox
        thread = try Thread.start(name: "network") {
            loop.run {
                inbox.withLock { inbox in
                    inbox.isAwake = false
                    defer { inbox.commands.removeAll(keepingCapacity: true) }
                    return inbox.commands
                }
            }
        }
    }

    /// Sends a request as soon as its host has a connection for it. After `shutdown` it ends at once, as cancelled, on the
    /// calling thread.
    package func start(_ request: Request, _ consumer: any ResponseConsumer) -> TransferID {
        let id = TransferID(rawValue: nextID())
        if !enqueue(.start(id, request, consumer)) { consumer.finish(.failure(.cancelled)) }
        return id
    }

    /// Sends a form at once, over a connection that does not count among its host's. After `shutdown` it ends at once, as
    /// cancelled, on the calling thread.
    ///
    /// 307 and 308 are followed with the same form; any other answer is the result, 301, 302 and 303 included.
    package func upload(_ form: FormUpload, _ observer: any UploadObserver) -> TransferID {
        let id = TransferID(rawValue: nextID())
        if !enqueue(.upload(id, form, observer)) { observer.finish(.failed(.cancelled, isFullySent: false)) }
        return id
    }

    /// Ends a request or an upload. `finish(.failure(.cancelled))` follows, unless it had finished.
    package func cancel(_ id: TransferID) { _ = enqueue(.cancel(id)) }

    /// Stops taking bytes of a running request, or goes on: the server feels it through the connection. A paused request
    /// does not stall.
    package func setPaused(_ isPaused: Bool, _ id: TransferID) { _ = enqueue(.pause(id, isPaused)) }

    /// Runs a job on the network thread after a while. It must not block.
    package func schedule(after delay: Duration, _ job: @escaping @Sendable () -> Void) -> TimerID {
        let id = TimerID(rawValue: nextID())
        _ = enqueue(.schedule(id, .now() + delay, job))
        return id
    }

    package func cancel(_ id: TimerID) { _ = enqueue(.cancelTimer(id)) }

    /// One small answer, with redirects, and repeated after passing faults.
    /// - Parameters:
    ///   - limit: largest body in bytes; more is `.tooLarge`.
    ///   - patience: how long it may go without a byte, tries and pauses together.
    ///   - keepsBody: decides by the head whether the body is wanted; if not, the answer comes with an empty one.
    ///   - completion: called once on the network thread. A 429 or 5xx comes as a response once no try is left.
    package func fetch(
        _ request: Request, limit: Int, patience: Duration,
        keepsBody: @escaping @Sendable (ResponseHead) -> Bool = { _ in true },
        completion: @escaping @Sendable (Result<Response, TransferError>) -> Void
    ) {
        BufferedFetch(
            client: self, request: request, limit: limit, patience: patience, keepsBody: keepsBody,
            completion: completion
        ).begin()
    }

    /// Counters since the start, for the status report.
    package func statistics() -> HTTPStatistics { loop.statistics.withLock { $0 } }

    /// What is known of each host, for the status report.
    package func hostHealth() -> [HostHealth] {
        let now = Instant.now()
        return loop.health.withLock { $0 }.map { origin, entry in
            HostHealth(
                origin: origin, pausedFor: entry.pausedUntil > now ? entry.pausedUntil - now : nil,
                lastError: entry.error)
        }
    }

    /// Counts a repeated try of a consumer that repeats by itself.
    package func noteRetry() { loop.statistics.withLock { $0.retries += 1 } }

    /// Ends all requests with `.cancelled`, then the network thread. Call it once, not from that thread.
    package func shutdown() {
        inbox.withLock { inbox in
            inbox.commands.append(.shutdown)
            inbox.isClosed = true
        }
        loop.wake()
        thread.join()
    }

    private func nextID() -> UInt64 {
        inbox.withLock { inbox in
            defer { inbox.nextID += 1 }
            return inbox.nextID
        }
    }

    /// - Returns: false after `shutdown`.
    private func enqueue(_ command: Command) -> Bool {
        let (isOpen, wakes) = inbox.withLock { inbox in
            guard !inbox.isClosed else { return (false, false) }
            inbox.commands.append(command)
            defer { inbox.isAwake = true }
            return (true, !inbox.isAwake)
        }
        if wakes { loop.wake() }
        return isOpen
    }
}
