import HTTP
import Platform
import Store
import Uploads

/// Carrying out what the queue decides.
extension DropFolder {
    /// With no lock held.
    func perform(_ actions: [UploadAction]) {
        for action in actions {
            switch action {
            case .journal(let id): record(id)
            case .start(let send): start(send)
            case .cancel(let send):
                let transfer = state.withLock { $0.transfers[send.id.rawValue] }
                if let transfer, transfer.send == send { transfer.cancel(context.client) }
            case .succeeded(let send, let status, let words):
                receipts.async { [self] in succeeded(send, status: status, words: words) }
            case .setAside(let id, let reason): tellSetAside(id, reason)
            case .verdict(let id, let version, let verdict): answer(id, version, verdict)
            }
        }
        armTimer()
    }

    private func record(_ id: UploadID) {
        state.withLock { state in
            guard let record = state.queue.record(of: id) else { return }
            commit(id.rawValue, record, &state, isFlush: false)
        }
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
            let actions = state.withLock { state -> [UploadAction] in
                // A timer set earlier for later finds that its work was done.
                if state.timerAt == due { state.timerAt = nil }
                return state.isEnding ? [] : state.queue.timePassed(now: .now())
            }
            perform(actions)
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
        let actions = state.withLock { state in
            if state.transfers[number]?.send == send { state.transfers[number] = nil }
            let actions = state.queue.sendEnded(send, outcome, now: .now(), random: .random(in: 0..<1))
            return depart(actions, &state)
        }
        perform(actions)
    }

    func path(of number: Int64) -> String {
        let path = state.withLock { $0.tree.path(of: number) }
        return (name.map { "\($0)/" } ?? "") + path
    }

    // MARK: Outcome

    /// On the receipts' thread: the server has the file. Its receipt and the end of its row are one commit, so that a
    /// crash leaves either the receipt or another try with the same key.
    private func succeeded(_ send: UploadSend, status: Int, words: String) {
        let number = send.id.rawValue
        guard let gone = state.withLock({ $0.departed[number] }) else { return }
        let digest = (try? gone.file.spool ?? spool.open(gone.file.number)).flatMap { try? $0.sha256() } ?? ""
        let time = Self.wallClock()
        let path = (gone.folders + [gone.name]).map(\.description).joined(separator: "/")
        context.log.info("\(target.url.masked): \(path) sent")
        let changes = state.withLock { state -> [JournalChange] in
            state.departed[number] = nil
            let receipt = Receipt(
                name: gone.name.description, seconds: time / 1_000_000_000, size: gone.file.size, sha256: digest,
                status: status, answer: words, url: target.url.masked, attempts: send.attempt,
                idempotencyKey: send.key)
            let text = Array(receipt.text.utf8)
            let folder = makeFolders(gone.folders, in: DropTree.sent, &state)
            let name = ReceiptNames.unique(gone.name.description, suffix: ".json") {
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
                state.tree.detach(oldest)
                _ = state.tree.removeIfUnused(oldest)
            }
            let row = ReceiptRow(
                id: receiptNumber, folder: gone.folders.map(\.description).joined(separator: "/"), name: name,
                text: receipt.text, time: time / 1_000_000)
            return gone.file.rows.map { .remove($0) } + [.addReceipt(row)]
        }
        note(changes)
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
