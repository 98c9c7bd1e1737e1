import Platform

/// One small answer collected in memory, asked for again after passing faults. Its consumer calls come from the network
/// thread.
final class BufferedFetch: ResponseConsumer {
    private struct State: Sendable {
        var head: ResponseHead?
        var body: [UInt8] = []
        var isTooLarge = false
        var isDone = false
        var transfer: TransferID?
        var watchdog: TimerID?
        var lastProgress = Instant.now()
        /// How the last try ended: what is told when time is up in the middle of the next.
        var lastResult: Result<Response, TransferError>?
        var policy = RetryPolicy(backoff: Backoff(first: .milliseconds(500), limit: .seconds(8)), maximumRetries: 4)
    }

    private let client: HTTPClient
    private let request: Request
    private let limit: Int
    private let patience: Duration
    private let keepsBody: @Sendable (ResponseHead) -> Bool
    private let completion: @Sendable (Result<Response, TransferError>) -> Void
    private let state = Lock(State())

    init(
        client: HTTPClient, request: Request, limit: Int, patience: Duration,
        keepsBody: @escaping @Sendable (ResponseHead) -> Bool,
        completion: @escaping @Sendable (Result<Response, TransferError>) -> Void
    ) {
        self.client = client
        self.request = request
        self.limit = limit
        self.patience = patience
        self.keepsBody = keepsBody
        self.completion = completion
    }

    /// The client dropped the pause before the next try: it was shut down.
    deinit { complete(.failure(.cancelled)) }

    func begin() {
        watch(for: patience)
        send()
    }

    private func send() {
        state.withLock { state in
            state.head = nil
            state.body = []
        }
        let id = client.start(request, self)
        state.withLock { $0.transfer = id }
    }

    func receive(head: ResponseHead) -> Bool {
        let isWanted = keepsBody(head)
        return state.withLock { state in
            state.head = head
            state.lastProgress = .now()
            if isWanted, let length = head.contentLength, length > limit, request.method != .head {
                state.isTooLarge = true
                return false
            }
            return isWanted
        }
    }

    func receive(body: RawSpan) -> Bool {
        state.withLock { state in
            state.lastProgress = .now()
            guard state.body.count + body.byteCount <= limit else {
                state.isTooLarge = true
                return false
            }
            body.withUnsafeBytes { state.body.append(contentsOf: $0) }
            return true
        }
    }

    func finish(_ outcome: Result<Void, TransferError>) {
        let (head, body, isTooLarge) = state.withLock { state in
            defer { state.body = [] }
            state.transfer = nil
            return (state.head, state.body, state.isTooLarge)
        }
        switch outcome {
        case .success:
            guard !isTooLarge else { return complete(.failure(.tooLarge)) }
            guard let head else { return complete(.failure(.noAnswer("no head"))) }
            let response = Response(head: head, body: body)
            retry(orElse: .success(response)) {
                $0.pause(afterStatus: head.status, retryAfter: head.retryAfter, random: .random(in: 0..<1))
            }
        case .failure(let error):
            retry(orElse: .failure(error)) { $0.pause(after: error, random: .random(in: 0..<1), progressed: false) }
        }
    }

    private func retry(
        orElse result: Result<Response, TransferError>, _ pause: (inout RetryPolicy) -> Duration?
    ) {
        let now = Instant.now()
        let delay: Duration? = state.withLock { state in
            state.lastResult = result
            guard request.isRepeated, !state.isDone, let delay = pause(&state.policy),
                now + delay < state.lastProgress + patience
            else {
                return nil
            }
            return delay
        }
        guard let delay else { return complete(result) }
        client.noteRetry()
        _ = client.schedule(after: delay) { [self] in
            if state.withLock({ !$0.isDone }) { send() }
        }
    }

    private func complete(_ result: Result<Response, TransferError>) {
        let watchdog: TimerID?? = state.withLock { state in
            guard !state.isDone else { return nil }
            state.isDone = true
            return .some(state.watchdog)
        }
        guard let watchdog else { return }
        if let watchdog { client.cancel(watchdog) }
        completion(result)
    }

    private func watch(for delay: Duration) {
        let id = client.schedule(after: delay) { [self] in
            let (due, transfer, isDone, result) = state.withLock {
                ($0.lastProgress + patience, $0.transfer, $0.isDone, $0.lastResult)
            }
            let now = Instant.now()
            guard !isDone else { return }
            if now < due { return watch(for: due - now) }
            complete(result ?? .failure(.timedOut))
            if let transfer { client.cancel(transfer) }
        }
        state.withLock { $0.watchdog = id }
    }
}
