package import Platform

/// Every file of one drop target on its way from a writer to the server. Pure: each event returns what is to be done.
///
/// What it sees to: a file is sent only when its content is whole, safe in the journal, closed and quiet; one version
/// has one key, and no two versions share one; a file has at most one transfer at a time, and the target at most
/// `parallel`; nothing is given up but what the server refused, what was never whole, and what may have arrived.
///
/// The owner calls it under one lock. Events about files it does not know (any more) do nothing.
package struct UploadQueue: Sendable {
    private let options: UploadQueueOptions
    private let backoff: Backoff
    private var files: [UploadID: UploadFile] = [:]
    private var pause: TargetPause
    private var sending = 0
    private var sent = 0
    private var isStopped = false

    package init(_ options: UploadQueueOptions) {
        self.options = options
        backoff = Backoff(first: options.firstPause, limit: options.maximumPause)
        pause = TargetPause(backoff: backoff)
    }

    // MARK: The folder

    /// A new, empty file without a writer; its row is incomplete until its first flush or last close.
    /// - Parameter keyBase: random text, never used for another file.
    package mutating func add(_ id: UploadID, keyBase: String, isCandidate: Bool, now: Instant) {
        files[id] = UploadFile(id: id, keyBase: keyBase, isCandidate: isCandidate, now: now)
    }

    /// A file found in the journal after a start. One that was not whole is set aside, unless its name is one that is
    /// never sent.
    package mutating func restore(_ record: UploadRecord, isCandidate: Bool, now: Instant) -> [UploadAction] {
        files[record.id] = UploadFile(record, isCandidate: isCandidate, now: now)
        return settle(record.id, now: now)
    }

    /// A handle that may write was opened. A running transfer goes on until the content changes.
    package mutating func writerOpened(_ id: UploadID) {
        files[id]?.writers += 1
    }

    /// The content is about to change (write, truncate, open with O_TRUNC). Call it before touching the spool file,
    /// touch that only while `mayWrite` says so, and see to it that a transfer that is cancelled here reads nothing
    /// more: so no mix of two versions is ever sent, and a crash leaves no half new content that passes for whole.
    /// - Parameter isEmptied: the content is cut to nothing, which heals what a dead writer left.
    package mutating func contentChanged(_ id: UploadID, isEmptied: Bool) -> [UploadAction] {
        guard var file = live(id), !file.isFailed else { return [] }
        if isEmptied { file.isSpoiled = false } else { file.isBlocked = false }
        var actions = withdraw(&file)
        if file.beginChange() { actions.append(.journal(id)) }
        files[id] = file
        return actions
    }

    /// Whether the spool file of this id may be written to now; if not, after `journalled` was called for the
    /// `journal` action of `contentChanged`.
    package func mayWrite(_ id: UploadID) -> Bool { files[id]?.mayWrite ?? true }

    /// FLUSH: what is to be committed now (after a sync if it says so), then told to `journalled`; nil if all is safe
    /// already or will not be sent. The same critical section rule as for `UploadAction.journal`.
    package mutating func flushBegan(_ id: UploadID) -> UploadRecord? {
        guard var file = live(id), !file.isFailed, !file.isSpoiled, !file.isSaved else { return nil }
        file.finishContent()
        files[id] = file
        return file.record
    }

    /// This record is in the journal, and what it needed to be synchronised is on disk.
    package mutating func journalled(_ record: UploadRecord, now: Instant) -> [UploadAction] {
        files[record.id]?.journalled(record)
        return startReady(now)
    }

    /// A writer with unflushed bytes was killed, or a write or sync of its failed: the content is incomplete, at the
    /// last close it is set aside, unless the file is emptied and written again before.
    package mutating func writerFailed(_ id: UploadID) {
        guard let file = files[id], !file.isComplete else { return }
        files[id]?.isSpoiled = true
    }

    /// A handle that may write was released. The last one starts the quiet time.
    package mutating func writerClosed(_ id: UploadID, now: Instant) -> [UploadAction] {
        guard var file = live(id) else { return [] }
        file.writers = max(0, file.writers - 1)
        file.quietSince = now
        files[id] = file
        return settle(id, now: now)
    }

    /// It has another name (or folder) now: a running transfer is cancelled, and it is sent under a new key.
    package mutating func renamed(_ id: UploadID, isCandidate: Bool, now: Instant) -> [UploadAction] {
        guard var file = live(id), !file.isFailed else { return [] }
        var actions = withdraw(&file)
        file.nextVersion()
        file.isCandidate = isCandidate
        file.isBlocked = false
        file.quietSince = now
        files[id] = file
        actions.append(.journal(id))
        return actions + settle(id, now: now)
    }

    /// An empty file beside the partial download it holds a place for is kept back (`true`), until that is gone.
    package mutating func placeholderBlocked(_ id: UploadID, _ isBlocked: Bool, now: Instant) -> [UploadAction] {
        guard var file = live(id), file.isBlocked != isBlocked else { return [] }
        file.isBlocked = isBlocked
        file.quietSince = now
        files[id] = file
        return startReady(now)
    }

    /// It was removed or replaced: never sent, a running transfer is cancelled.
    package mutating func removed(_ id: UploadID) -> [UploadAction] {
        guard var file = live(id) else { return [] }
        let actions = withdraw(&file)
        file.isRemoved = true
        files[id] = file.running == nil ? nil : file
        return actions
    }

    /// Somebody moved it back from `failed/`: it is sent as it is, also if it was incomplete.
    package mutating func retry(_ id: UploadID, isCandidate: Bool, now: Instant) -> [UploadAction] {
        guard var file = live(id), file.isFailed else { return [] }
        file.isFailed = false
        file.isSpoiled = false
        file.nextVersion()
        file.finishContent()
        file.isCandidate = isCandidate
        file.quietSince = now
        files[id] = file
        return [.journal(id)]
    }

    // MARK: The server

    /// The owner waits for what the server says to this version, which it flushed: it is sent at once.
    package mutating func awaitVerdict(_ id: UploadID, version: Int64, now: Instant) -> [UploadAction] {
        guard var file = live(id), file.version == version, file.isCandidate, !file.isFailed, !isStopped else {
            return [.verdict(id, version: version, .withdrawn)]
        }
        if let held = file.held {
            return [.verdict(id, version: version, held.verdict)]
        }
        file.awaited = version
        files[id] = file
        return startReady(now)
    }

    /// A started transfer is over.
    /// - Parameter random: 0 ..< 1, for the pause before the next try.
    package mutating func sendEnded(_ send: UploadSend, _ outcome: SendOutcome, now: Instant, random: Double)
        -> [UploadAction]
    {
        guard var file = files[send.id], file.running == send else { return [] }
        sending -= 1
        file.running = nil
        pause.ended(send, outcome, now: now, random: random)
        if file.isRemoved {
            files[send.id] = nil
            return startReady(now)
        }
        files[send.id] = file
        // Of an old version nothing is learnt: the present one is sent, whatever became of that.
        let actions = send.version == file.version ? conclude(send, outcome, now: now, random: random) : []
        return actions + startReady(now)
    }

    /// The user asks to go on now: a paused target is probed at once, no file waits for its next try.
    package mutating func resume(now: Instant) -> [UploadAction] {
        pause.resume(now: now)
        for id in files.keys { files[id]?.nextTry = nil }
        return startReady(now)
    }

    /// `nextDeadline` is reached.
    package mutating func timePassed(now: Instant) -> [UploadAction] { startReady(now) }

    /// When `timePassed` is to be called; nil: not before another event.
    package var nextDeadline: Instant? {
        guard !isStopped, sending < options.parallel, let opens = pause.opens else { return nil }
        let first = files.values.lazy.compactMap { $0.ready(settle: options.settle) }.min()
        return first.map { max($0, opens) }
    }

    /// Nothing is started any more, running transfers are cancelled; the files stay as they are.
    package mutating func stop() -> [UploadAction] {
        isStopped = true
        var actions: [UploadAction] = []
        for id in files.keys.sorted() {
            guard var file = files[id] else { continue }
            actions += withdraw(&file)
            files[id] = file
        }
        return actions
    }

    // MARK: Reports

    /// What a row of the journal says about this file; nil if it is not known (any more).
    package func record(of id: UploadID) -> UploadRecord? { live(id)?.record }

    package func report(of id: UploadID, now: Instant) -> UploadReport? {
        guard let file = live(id) else { return nil }
        let ready = file.ready(settle: options.settle)
        return UploadReport(
            state: file.state(settle: options.settle, now: now), version: file.version, attempts: file.attempts,
            nextTry: ready.flatMap { $0 > now ? $0 : nil }, status: file.status, words: file.words)
    }

    package func summary(now: Instant) -> UploadSummary {
        var summary = UploadSummary()
        for file in files.values where !file.isRemoved {
            summary.counts[file.state(settle: options.settle, now: now), default: 0] += 1
        }
        summary.sent = sent
        if let state = pause.state {
            summary.pauseWords = state.words
            summary.pauseUntil = state.until
        }
        return summary
    }

    // MARK: Inside

    private func live(_ id: UploadID) -> UploadFile? {
        guard let file = files[id], !file.isRemoved else { return nil }
        return file
    }

    /// Takes back what is under way for the present version.
    private func withdraw(_ file: inout UploadFile) -> [UploadAction] {
        var actions: [UploadAction] = []
        if let running = file.running, !file.isCancelling {
            file.isCancelling = true
            actions.append(.cancel(running))
        }
        if let version = file.awaited {
            file.awaited = nil
            actions.append(.verdict(file.id, version: version, .withdrawn))
        }
        return actions
    }

    /// Once nobody writes: an incomplete file is set aside, a changed one journalled, a decided one leaves.
    private mutating func settle(_ id: UploadID, now: Instant) -> [UploadAction] {
        guard var file = live(id), file.writers == 0, !file.isFailed else { return [] }
        if file.isSpoiled { return file.isCandidate ? carryOut(.failed(.incomplete), id) : [] }
        if let held = file.held {
            file.held = nil
            files[id] = file
            return carryOut(held, id)
        }
        guard file.isComplete else {
            file.finishContent()
            files[id] = file
            return [.journal(id)]
        }
        return startReady(now)
    }

    /// Applies how a try of the present version ended.
    private mutating func conclude(_ send: UploadSend, _ outcome: SendOutcome, now: Instant, random: Double)
        -> [UploadAction]
    {
        guard outcome != .cancelled, var file = files[send.id] else { return [] }
        let decision = file.conclude(send, outcome, unknownTries: options.unknownTries)
        guard let decision else {
            if outcome.isOfOneFile {
                file.nextTry = now + backoff.delay(attempt: file.attempts - 1, random: random)
            }
            files[send.id] = file
            return [.journal(send.id)]
        }
        var actions: [UploadAction] = []
        if let version = file.awaited {
            file.awaited = nil
            actions.append(.verdict(send.id, version: version, decision.verdict))
        }
        if file.writers > 0 {
            file.held = decision
            files[send.id] = file
            return actions
        }
        files[send.id] = file
        return actions + carryOut(decision, send.id)
    }

    private mutating func carryOut(_ decision: UploadDecision, _ id: UploadID) -> [UploadAction] {
        switch decision {
        case .accepted(let send, let status, let words):
            files[id] = nil
            sent += 1
            return [.succeeded(send, status: status, words: words)]
        case .failed(let reason):
            files[id]?.isFailed = true
            return [.setAside(id, reason)]
        }
    }

    /// Starts what may start, longest waiting first.
    private mutating func startReady(_ now: Instant) -> [UploadAction] {
        var actions: [UploadAction] = []
        while !isStopped, sending < options.parallel, let opens = pause.opens, opens <= now,
            let next = nextReady(), next.at <= now
        {
            guard let send = files[next.id]?.begin() else { break }
            sending += 1
            pause.started(send)
            actions.append(.start(send))
        }
        return actions
    }

    private func nextReady() -> (at: Instant, id: UploadID)? {
        files.values.lazy
            .compactMap { file in file.ready(settle: options.settle).map { (at: $0, id: file.id) } }
            .min { ($0.at, $0.id) < ($1.at, $1.id) }
    }
}
