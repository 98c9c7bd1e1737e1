import HTTP
import Platform
import Segments

/// One run of a file's bytes on its way: sends a request, again after a passing fault from where it stopped, until the
/// run is complete, the server says no, or nothing came for the operation timeout.
///
/// It begins either as the *contact* of an OPEN, which finds out what the file is and then delivers its first bytes, or
/// for a fetch that the segments asked for. Consumer calls come from the network thread; `start` and `cancel` from any.
final class FileTransfer: ResponseConsumer {
    /// What the head of an answer leads to.
    enum Step: Sendable {
        /// The body goes to `fetch`.
        case deliver(FetchID)
        /// Nothing of the body is needed; the transfer has done its work.
        case stop
        /// The same once more, at once.
        case again
        /// A GET without a Range header.
        case plain
        /// Once more after a pause, if the retry policy has one left for this status.
        case later(status: Int, retryAfter: Duration?)
        case fail(FileFailure)
    }

    struct State: Sendable {
        /// Changes when an answer shows a new version: the rest of it belongs to the new version's file.
        var file: RemoteFile
        /// nil while the contact does not know the file.
        var fetch: FetchID?
        /// What is still to come, end exclusive.
        var wanted: Range<Int64>
        var isPlain = false
        /// Body bytes to pass over: a repeated stream begins again at the front.
        var skip: Int64 = 0
        var isPaused = false
        var isCancelled = false
        var hasEnded = false
        var step: Step?
        var id: TransferID?
        var timer: TimerID?
        var watchdog: TimerID?
        var policy: RetryPolicy
        var lastProgress = Instant.now()
        /// Why the last try failed: what is told when time is up in the middle of the next.
        var lastFailure: FileFailure?
        /// Bytes that this try delivered, and `lastProgress` before it.
        var delivered: Int64 = 0
        var progressBefore = Instant.now()
        /// Oddities already answered by asking once more.
        var oddAnswers = OddAnswers()

        /// Nothing of the body is needed, but it is short enough to be received.
        var isPassingOver: Bool { if case .stop? = step { true } else { false } }
    }

    /// What was seen once and is believed only when it comes again.
    struct OddAnswers: Sendable {
        var hadWrongPart = false
        var hadUnsatisfiable = false
        var omitsIfMatch = false
        var otherTag: EntityTag?
    }

    private let context: MountContext
    private let isDemand: Bool
    let state: Lock<State>

    init(
        context: MountContext, file: RemoteFile, fetch: FetchID?, range: Range<Int64>, isPlain: Bool,
        isDemand: Bool = true
    ) {
        self.context = context
        self.isDemand = isDemand
        state = Lock(
            State(file: file, fetch: fetch, wanted: range, isPlain: isPlain, policy: RetryPolicy.forBodies))
    }

    func start() {
        context.counters.fetches.add(1)
        watch(for: context.options.operationTimeout)
        send()
    }

    func cancel() {
        let (id, timers, wasRunning) = state.withLock { state in
            let wasRunning = !state.hasEnded && state.watchdog != nil
            state.isCancelled = true
            state.hasEnded = true
            return (state.id, [state.timer, state.watchdog], wasRunning)
        }
        if wasRunning { context.counters.fetches.add(-1) }
        if let id { context.client.cancel(id) }
        for timer in timers.compactMap({ $0 }) { context.client.cancel(timer) }
    }

    /// What a failed try must have brought to count as progress: a block.
    private static let worthwhile = SegmentLayout.block

    private func send() {
        let (file, range, omitsIfMatch): (RemoteFile, Range<Int64>?, Bool) = state.withLock { state in
            state.skip = state.isPlain ? state.wanted.lowerBound : 0
            state.delivered = 0
            state.progressBefore = state.lastProgress
            return (state.file, state.isPlain ? nil : state.wanted, state.oddAnswers.omitsIfMatch)
        }
        let request = file.request(for: range, isDemand: isDemand, omitsIfMatch: omitsIfMatch)
        let id = context.client.start(request, self)
        let (isLate, isPaused) = state.withLock { state in
            state.id = id
            return (state.isCancelled, state.isPaused)
        }
        if isLate { context.client.cancel(id) }
        if isPaused { context.client.setPaused(true, id) }
    }

    /// Memory is full of bytes that nobody has read yet, or there is room again.
    func setPaused(_ isPaused: Bool) {
        let id = state.withLock { state in
            state.isPaused = isPaused
            state.lastProgress = .now()
            return state.id
        }
        if let id { context.client.setPaused(isPaused, id) }
    }

    // MARK: Consumer

    func receive(head: ResponseHead) -> Bool {
        let (file, asked, isCancelled) = state.withLock { state in
            state.lastProgress = .now()
            return (state.file, state.isPlain ? nil : state.wanted, state.isCancelled)
        }
        guard !isCancelled else { return false }
        let step = file.judge(head, to: asked, self)
        return state.withLock { state in
            if case .deliver(let fetch) = step {
                state.fetch = fetch
                state.step = nil
                state.lastFailure = nil
                return true
            }
            state.step = step
            if case .stop = step { return head.hasShortBody }
            return false
        }
    }

    func receive(body: RawSpan) -> Bool {
        let now = Instant.now()
        let target: (RemoteFile, FetchID, Range<Int>)? = state.withLock { state in
            // An answer longer than what was wanted is cut off; one that ends here leaves its connection for the next.
            guard !state.isCancelled, !state.isPassingOver, let fetch = state.fetch, !state.wanted.isEmpty else {
                return nil
            }
            let skipped = Int(min(Int64(body.byteCount), state.skip))
            let count = Int(min(Int64(body.byteCount - skipped), state.wanted.upperBound - state.wanted.lowerBound))
            state.skip -= Int64(skipped)
            state.wanted = state.wanted.lowerBound + Int64(count)..<state.wanted.upperBound
            state.lastProgress = now
            state.delivered += Int64(count)
            return (state.file, fetch, skipped..<skipped + count)
        }
        guard let (file, fetch, bytes) = target else { return state.withLock { $0.isPassingOver && !$0.isCancelled } }
        if !bytes.isEmpty { file.receive(fetch, body.extracting(bytes), now: now) }
        // A reader that has all it wanted closes at once: a transfer that is complete must not lose its connection by it.
        return state.withLock { !$0.isCancelled || $0.wanted.isEmpty }
    }

    func finish(_ outcome: Result<Void, TransferError>) {
        let (step, isCancelled) = state.withLock { state in
            defer { state.step = nil }
            state.id = nil
            return (state.step, state.isCancelled)
        }
        guard !isCancelled else { return }
        switch (step, outcome) {
        case (.again?, _): send()
        case (.plain?, _):
            state.withLock { $0.isPlain = true }
            send()
        case (.later(let status, let retryAfter)?, _):
            retry(.status(status)) { $0.pause(afterStatus: status, retryAfter: retryAfter, random: .random(in: 0..<1)) }
        case (.fail(let failure)?, _): end(failure)
        case (.stop?, _): end(nil)
        case (.deliver?, _): end(nil)
        case (nil, .success): finishBody()
        case (nil, .failure(let error)):
            let progressed = state.withLock { state in
                let progressed = state.delivered >= Self.worthwhile
                // A server that sends a few bytes and falls silent, again and again, does not count as one that answers.
                if !progressed { state.lastProgress = state.progressBefore }
                return progressed
            }
            retry(.transfer(error)) { $0.pause(after: error, random: .random(in: 0..<1), progressed: progressed) }
        }
    }

    /// A complete answer: all that was wanted, or a shorter part by a server that caps them; then the rest is asked for.
    private func finishBody() {
        let (file, isComplete, progressed) = state.withLock { ($0.file, $0.wanted.isEmpty, $0.delivered > 0) }
        if isComplete { return end(nil) }
        if file.isUnbounded { return end(nil) }
        guard progressed else { return end(.wrongAnswer("an answer without the bytes it promised")) }
        let isPlain = state.withLock { $0.isPlain }
        if isPlain { return end(.wrongAnswer("the file is shorter than it said")) }
        send()
    }

    // MARK: Again and end

    private func retry(_ failure: FileFailure, _ pause: (inout RetryPolicy) -> Duration?) {
        let now = Instant.now()
        let timeout = context.options.operationTimeout
        let delay: Duration? = state.withLock { state in
            state.lastFailure = failure
            guard let delay = pause(&state.policy), now + delay < state.lastProgress + timeout else { return nil }
            return delay
        }
        guard let delay else { return end(failure) }
        context.client.noteRetry()
        let timer = context.client.schedule(after: delay) { [self] in
            if state.withLock({ !$0.isCancelled }) { send() }
        }
        state.withLock { $0.timer = timer }
    }

    private func end(_ failure: FileFailure?) {
        let ended: (RemoteFile, FetchID?, TimerID?)? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return (state.file, state.fetch, state.watchdog)
        }
        guard let (file, fetch, watchdog) = ended else { return }
        context.counters.fetches.add(-1)
        if let watchdog { context.client.cancel(watchdog) }
        file.ended(self, fetch, failure)
    }

    /// Bounds the time without progress, wherever it is lost: in the scheduler's queue, in pauses, on the wire.
    private func watch(for delay: Duration) {
        let timer = context.client.schedule(after: delay) { [self] in
            let now = Instant.now()
            let due = state.withLock { $0.isPaused ? now : $0.lastProgress } + context.options.operationTimeout
            if state.withLock({ $0.hasEnded }) { return }
            if now < due { return watch(for: due - now) }
            let (id, failure) = state.withLock { state in
                state.isCancelled = true
                return (state.id, state.lastFailure)
            }
            if let id { context.client.cancel(id) }
            end(failure ?? .noProgress)
        }
        state.withLock { $0.watchdog = timer }
    }
}

/// What the file asks and tells its transfers while it judges an answer.
extension FileTransfer {
    /// Whether the file is not known yet.
    var isContact: Bool { state.withLock { $0.fetch == nil } }
    var fetch: FetchID? { state.withLock { $0.fetch } }
    var wanted: Range<Int64> { state.withLock { $0.wanted } }
    /// Whether the next byte wanted is the file's first.
    var isAtFront: Bool { state.withLock { $0.wanted.lowerBound == 0 } }
    var isPlain: Bool { state.withLock { $0.isPlain } }

    /// Notes an oddity.
    /// - Returns: whether it is the first of its kind.
    func firstTime(_ oddity: any WritableKeyPath<OddAnswers, Bool> & Sendable) -> Bool {
        state.withLock { state in
            defer { state.oddAnswers[keyPath: oddity] = true }
            return !state.oddAnswers[keyPath: oddity]
        }
    }

    /// Notes an entity tag that is not the known one.
    /// - Returns: whether it is the first such answer; the request then goes out once more, without If-Match.
    func firstTime(seeing tag: EntityTag?) -> Bool {
        state.withLock { state in
            guard state.oddAnswers.otherTag == nil else { return false }
            state.oddAnswers.otherTag = tag
            state.oddAnswers.omitsIfMatch = true
            return true
        }
    }

    func sawAgain(_ tag: EntityTag?) -> Bool { state.withLock { $0.oddAnswers.otherTag == tag } }

    /// Asks for exactly `total` bytes after a server refused a range that ends past the file.
    /// - Returns: false if that was tried before.
    func narrow(to total: Int64) -> Bool {
        guard firstTime(\.hadUnsatisfiable) else { return false }
        state.withLock { $0.wanted = 0..<total }
        return true
    }

    /// The contact found the file: the rest of the answer is this fetch.
    func settle(on fetch: FetchID, range: Range<Int64>) {
        state.withLock { state in
            state.fetch = fetch
            state.wanted = range
        }
    }

    func move(to file: RemoteFile) { state.withLock { $0.file = file } }
}

extension RetryPolicy {
    /// For file data: five tries without a byte in between; the operation timeout ends it earlier.
    static var forBodies: RetryPolicy {
        RetryPolicy(backoff: Backoff(first: .milliseconds(500), limit: .seconds(8)), maximumRetries: 5)
    }
}
