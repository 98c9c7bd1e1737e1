package import Platform

extension UploadQueue {
    /// The owner waits for what the server says to this version, which was flushed: it is sent at once.
    package mutating func awaitVerdict(_ id: UploadID, version: Int64, now: Instant) -> [UploadAction] {
        guard var file = live(id), file.version == version, file.isCandidate, !file.isFailed, !file.isBlocked,
            !isStopped
        else { return [.verdict(id, version: version, .withdrawn)] }
        if let held = file.held { return [.verdict(id, version: version, held.verdict)] }
        file.awaited = version
        put(file)
        return startReady(now)
    }

    /// Whether this transfer is still to go on: for an owner that comes to a `start` after other events.
    package func isWanted(_ send: UploadSend) -> Bool {
        guard let file = live(send.id) else { return false }
        return file.running == send && !file.isCancelling
    }

    /// A started transfer is over.
    /// - Parameter random: 0 ..< 1, for the pause before the next try.
    package mutating func sendEnded(
        _ send: UploadSend, _ outcome: SendOutcome, now: Instant, random: Double
    ) -> [UploadAction] {
        guard var file = files[send.id], file.running == send else { return [] }
        sending -= 1
        pause.ended(send, outcome, now: now, random: random)
        file.running = nil
        if file.isRemoved {
            files[send.id] = nil
            return startReady(now)
        }
        // Of an old version nothing is learnt: the present one is sent, whatever became of that.
        var actions: [UploadAction] = []
        if send.version == file.version, outcome != .cancelled {
            actions = conclude(&file, send, outcome, now: now, random: random)
        } else {
            put(file)
        }
        return actions + startReady(now)
    }

    /// The user asks to go on now: a paused target is probed at once, no file waits for its next try.
    package mutating func resume(now: Instant) -> [UploadAction] {
        pause.resume(now: now)
        for file in files.values where file.nextTry != nil {
            var file = file
            file.nextTry = nil
            put(file)
        }
        return startReady(now)
    }

    /// `nextDeadline` is reached.
    package mutating func timePassed(now: Instant) -> [UploadAction] {
        saveUnsaved(now) + startReady(now)
    }

    /// When `timePassed` is to be called; nil: not before another event. May change with every event.
    package var nextDeadline: Instant? {
        mutating get {
            guard !isStopped, sending < options.parallel, let opens = pause.opens, let first = nextReady() else {
                return saveAgain
            }
            return min(max(first.at, opens), saveAgain ?? .distantFuture)
        }
    }

    /// Applies how a try of the present version ended.
    private mutating func conclude(
        _ file: inout UploadFile, _ send: UploadSend, _ outcome: SendOutcome, now: Instant, random: Double
    ) -> [UploadAction] {
        guard let decision = file.conclude(send, outcome, unknownTries: options.unknownTries) else {
            // Where the whole target waits, this file goes behind the others: if it is the cause, they get through.
            let pause =
                outcome.isOfOneFile ? options.backoff.delay(attempt: file.attempts - 1, random: random) : .zero
            file.nextTry = now + pause
            put(file)
            return [.journal(send.id)]
        }
        var actions: [UploadAction] = []
        if let version = file.awaited {
            file.awaited = nil
            actions.append(.verdict(send.id, version: version, decision.verdict))
        }
        // What is written from now on must not be lost with a file that has left.
        if file.writers > 0 { file.held = decision }
        put(file)
        return file.writers > 0 ? actions : actions + carryOut(decision, send.id)
    }

    mutating func carryOut(_ decision: UploadDecision, _ id: UploadID) -> [UploadAction] {
        guard var file = live(id) else { return [] }
        switch decision {
        case .accepted(let send, let status, let words):
            files[id] = nil
            sent += 1
            return [.succeeded(send, status: status, words: words)]
        case .failed(let reason):
            file.isFailed = true
            file.held = nil
            put(file)
            return [.setAside(id, reason)]
        }
    }

    /// Starts what may start, longest waiting first.
    mutating func startReady(_ now: Instant) -> [UploadAction] {
        var actions: [UploadAction] = []
        while !isStopped, sending < options.parallel, let opens = pause.opens, opens <= now,
            let next = nextReady(), next.at <= now, var file = live(next.id)
        {
            let send = file.begin()
            put(file)
            sending += 1
            pause.started(send)
            actions.append(.start(send))
        }
        return actions
    }

    private mutating func nextReady() -> UploadSchedule.Entry? {
        schedule.first { [files] in files[$0.id]?.scheduled == $0.at }
    }
}
