import HTTP
import Platform
import Store
import Uploads

/// Carrying out what the queue decides.
extension DropFolder {
    /// Gives the queue an event and does what that leads to.
    func act(_ event: (inout DropState) -> [UploadAction]) {
        perform(state.withLock { state in enact(event(&state), &state) })
    }

    /// Does to names and rows what the queue has decided, in the critical section of the event itself: no request may
    /// come between a decision and what it means for a file, or what it writes could be lost with that file.
    /// - Returns: what is to be done by `perform` once the lock is released.
    func enact(_ actions: [UploadAction], _ state: inout DropState) -> [UploadAction] {
        var rest: [UploadAction] = []
        for action in actions {
            switch action {
            case .journal(let id):
                guard let record = state.queue.record(of: id) else { continue }
                commit(id.rawValue, record, &state, isFlush: false)
            case .succeeded(let send, _, _):
                deliver(send.id.rawValue, &state)
                rest.append(action)
            case .setAside(let id, let reason): rest += setAside(id, reason, &state)
            case .start, .cancel, .verdict: rest.append(action)
            }
        }
        return rest
    }

    /// Does what `enact` left, with no lock held.
    func perform(_ actions: [UploadAction]) {
        for action in actions {
            switch action {
            case .journal: break
            case .start(let send): start(send)
            case .cancel(let send):
                let transfer = state.withLock { $0.transfers[send.id.rawValue] }
                if let transfer, transfer.send == send { transfer.cancel(context.client) }
            case .succeeded(let send, let status, let words):
                receipts.async { [self] in succeeded(send, status: status, words: words) }
            case .setAside(let id, let reason):
                let words = FailureText.summary(reason)
                context.log.error("\(target.url.masked): \(path(of: id.rawValue)): set aside in failed/: \(words)")
            case .verdict(let id, let version, let verdict): answer(id, version, verdict)
            }
        }
        armTimer()
    }

    /// Changes that nobody waits for.
    func note(_ changes: [JournalChange]) {
        guard !changes.isEmpty else { return }
        journal.commit(changes) { [self] error in
            if let error { context.log.error("\(target.url.masked): \(error)") }
        }
    }

    // MARK: Time

    private func armTimer() {
        let now = Instant.now()
        let due = state.withLock { state -> Instant? in
            guard !state.isEnding, let due = state.queue.nextDeadline, due < (state.timerAt ?? .distantFuture) else {
                return nil
            }
            state.timerAt = due
            return due
        }
        guard let due else { return }
        _ = context.client.schedule(after: max(due - now, .zero)) { [self] in
            act { state in
                // A timer set earlier for later finds that its work was done.
                if state.timerAt == due { state.timerAt = nil }
                return state.isEnding ? [] : state.queue.timePassed(now: .now())
            }
        }
    }

    // MARK: One transfer

    private func start(_ send: UploadSend) {
        let number = send.id.rawValue
        let content: FileContent
        do {
            guard let spool = try spoolFile(number) else { return ended(send, .cancelled) }
            let size = state.withLock { $0.tree[number]?.file?.size } ?? 0
            content = try FileContent(duplicating: spool.descriptor, size: size)
        } catch {
            context.log.error("\(target.url.masked): a spooled file cannot be read: \(error)")
            return ended(send, .notSent(words: "the spooled file cannot be read: \(error)"))
        }
        let transfer = DropTransfer(send, content: content) { [self] result in ended(send, target.outcome(of: result)) }
        let form = state.withLock { state -> FormUpload? in
            // Changed, renamed or removed since the queue decided.
            guard !state.isEnding, state.queue.isWanted(send), let node = state.tree[number] else { return nil }
            state.transfers[number] = transfer
            running.update { $0 += 1 }
            let name = node.name.description
            return target.form(
                fileName: name, path: state.tree.path(of: number), mediaType: mediaTypes.type(of: name),
                content: content, key: send.key)
        }
        guard let form else { return ended(send, .cancelled) }
        transfer.begin(form, context.client)
    }

    private func ended(_ send: UploadSend, _ outcome: SendOutcome) {
        let number = send.id.rawValue
        switch outcome {
        case .success, .cancelled: break
        default: context.log.warning("\(target.url.masked): \(path(of: number)): \(outcome.words)")
        }
        var wasRunning = false
        act { state in
            if state.transfers[number]?.send == send {
                state.transfers[number] = nil
                wasRunning = true
            }
            defer { closeIfIdle(number, &state) }
            return state.queue.sendEnded(send, outcome, now: .now(), random: .random(in: 0..<1))
        }
        // After the receipt was asked for: see `shutdown`.
        if wasRunning { running.update { $0 -= 1 } }
    }

    func path(of number: Int64) -> String {
        let path = state.withLock { $0.tree.path(of: number) }
        return (name.map { "\($0)/" } ?? "") + path
    }

    // MARK: Outcome

    /// The server has the file: its name is free from here on, so that whatever is written under it is another file.
    private func deliver(_ number: Int64, _ state: inout DropState) {
        guard let node = state.tree[number], let file = node.file, let parent = node.parent else { return }
        state.deliveries[number] = DropDelivery(
            name: node.name, folders: state.tree.folders(above: number), file: file)
        state.tree.withFile(number) { $0.isDelivered = true }
        touch(parent, &state)
        state.tree.detach(number)
        _ = state.tree.removeIfUnused(number)
    }

    /// On the receipts' thread, after `deliver`. The receipt and the end of the file's row are one commit, so that a
    /// crash leaves either the receipt or another try with the same key.
    private func succeeded(_ send: UploadSend, status: Int, words: String) {
        let number = send.id.rawValue
        guard let delivery = state.withLock({ $0.deliveries[number] }) else { return }
        let digest = (try? (delivery.file.spool ?? spool.open(delivery.file.number)).sha256()) ?? ""
        let time = Self.wallClock()
        context.log.info("\(target.url.masked): \(delivery.path) sent")
        let changes = state.withLock { state -> [JournalChange] in
            let receipt = Receipt(
                name: delivery.name.description, seconds: time / 1_000_000_000, size: delivery.file.size,
                sha256: digest, status: status, answer: words, url: target.url.masked, attempts: send.attempt,
                idempotencyKey: send.key)
            let text = Array(receipt.text.utf8)
            let folder = makeFolders(delivery.folders, in: DropTree.sent, &state)
            let name = ReceiptNames.unique(delivery.name.description, suffix: ".json") {
                state.tree.child(FileName($0), of: folder) != nil
            }
            let receiptNumber = state.takeNumber()
            state.tree.insert(
                receiptNumber,
                DropNode(
                    parent: folder, name: FileName(name), content: .receipt(text), permissions: 0o600, modified: time),
                in: folder)
            state.receiptOrder.append(receiptNumber)
            while state.receiptOrder.count > UploadJournal.receiptLimit {
                let oldest = state.receiptOrder.removeFirst()
                let folder = state.tree[oldest]?.parent
                state.tree.detach(oldest)
                _ = state.tree.removeIfUnused(oldest)
                if let folder { state.tree.removeEmptyFolders(from: folder) }
            }
            let row = ReceiptRow(
                id: receiptNumber, folder: delivery.folders.map(\.description).joined(separator: "/"), name: name,
                text: receipt.text, time: time / 1_000_000)
            return delivery.file.rows.map { .remove($0) } + [.addReceipt(row)]
        }
        finish(number, changes)
    }

    /// Ends a delivery once its receipt is safe; tried again until it is, or the file would be sent again.
    private func finish(_ number: Int64, _ changes: [JournalChange]) {
        journal.commit(changes) { [self] error in
            guard let error, !state.withLock({ $0.isEnding }) else {
                return state.withLock { $0.deliveries[number] = nil }
            }
            context.log.error("\(target.url.masked): a receipt: \(error)")
            _ = context.client.schedule(after: Self.receiptPause) { [self] in finish(number, changes) }
        }
    }

    /// A full disk is seldom emptied faster.
    private static let receiptPause = Duration.seconds(5)

    private func setAside(_ id: UploadID, _ reason: FailureReason, _ state: inout DropState) -> [UploadAction] {
        let number = id.rawValue
        guard let file = state.tree[number]?.file else { return [] }
        if case .incomplete = reason, let kept = file.kept, !kept.isSuperseded { return split(number, kept, &state) }
        moveAside(number, reason, &state)
        return [.setAside(id, reason)]
    }

    /// Moves a file to `failed/`, with an explanation beside it.
    private func moveAside(_ number: Int64, _ reason: FailureReason, _ state: inout DropState) {
        guard let node = state.tree[number], let parent = node.parent else { return }
        let folder = makeFolders(state.tree.folders(above: number), in: DropTree.failed, &state)
        if folder != parent {
            state.tree.move(number, to: folder, as: state.tree.freeName(node.name, in: folder))
            touch(parent, &state)
            touch(folder, &state)
        }
        explain(number, reason, Self.wallClock(), &state)
        if let record = state.queue.record(of: UploadID(rawValue: number)) {
            commit(number, record, &state, isFlush: false)
        }
        closeIfIdle(number, &state)
    }

    /// Puts `NAME.error.txt` beside a file in `failed/`.
    func explain(_ number: Int64, _ reason: FailureReason, _ time: Int64, _ state: inout DropState) {
        guard let node = state.tree[number], let folder = node.parent else { return }
        let text = FailureText.make(name: node.name.description, url: target.url.masked, reason: reason)
        let explanation = state.takeNumber()
        let name = state.tree.freeName(FileName(ReceiptNames.errorName(node.name.description)), in: folder)
        state.tree.insert(
            explanation,
            DropNode(
                parent: folder, name: name, content: .explanation(Array(text.utf8)), permissions: 0o600,
                modified: time), in: folder)
        state.tree.withFile(number) { $0.explanation = explanation }
    }

    /// The newest content is half a file, but the one before was closed and is still there: that one is sent, the half
    /// one is set aside under a node of its own.
    private func split(_ number: Int64, _ kept: DropFile.Kept, _ state: inout DropState) -> [UploadAction] {
        guard let node = state.tree[number], let file = node.file else { return [] }
        let failed = makeFolders(state.tree.folders(above: number), in: DropTree.failed, &state)
        let half = state.takeNumber()
        var halfFile = DropFile(number: file.number, spool: file.spool)
        halfFile.size = file.size
        halfFile.staleRows = file.staleRows
        var halfNode = node
        halfNode.content = .file(halfFile)
        halfNode.lookups = 0
        halfNode.openHandles = 0
        halfNode.name = state.tree.freeName(node.name, in: failed)
        state.tree.insert(half, halfNode, in: failed)
        state.tree.withFile(number) { file in
            file.number = kept.number
            file.spool = nil
            file.size = kept.size
            file.isSafe = true
            file.kept = nil
            file.staleRows = []
            file.flushed = kept.record
        }
        let now = Instant.now()
        var actions = state.queue.removed(UploadID(rawValue: number))
        actions += state.queue.restore(kept.record, isCandidate: state.tree.isCandidate(number), now: now)
        let record = UploadRecord(
            id: UploadID(rawValue: half), stage: .incomplete, version: 1, keyBase: Self.makeKey(), attempts: 0,
            lostAnswers: 0, status: 0, words: "")
        return enact(actions + state.queue.restore(record, isCandidate: true, now: now), &state)
    }

    /// The folders of these names below one of the fixed ones, made where they are missing.
    func makeFolders(_ names: [FileName], in top: Int64, _ state: inout DropState) -> Int64 {
        var folder = top
        for name in names {
            if let existing = state.tree.child(name, of: folder), state.tree[existing]?.isFolder == true {
                folder = existing
                continue
            }
            let number = state.takeNumber()
            state.tree.insert(
                number,
                DropNode(
                    parent: folder, name: state.tree.freeName(name, in: folder), content: .folder, permissions: 0o777,
                    modified: Self.wallClock()), in: folder)
            // Folders of receipts come from the receipts themselves.
            if top != DropTree.sent { note(rows(number, state).map { .put($0) }) }
            folder = number
        }
        return folder
    }

    /// The explanation of a failure is done with.
    func detachExplanation(of file: DropFile, _ state: inout DropState) {
        guard let explanation = file.explanation else { return }
        state.tree.detach(explanation)
        _ = state.tree.removeIfUnused(explanation)
    }

    static func makeKey() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = String(generator.next(), radix: 16) + String(generator.next(), radix: 16)
        return digits
    }
}
