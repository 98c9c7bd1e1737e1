import HTTP
import Platform
import Uploads

/// Files that leave the folder because of what the server said.
extension DropFolder {
    /// Takes files that the queue has done with out of their places, in the critical section of the event that said so:
    /// a writer that comes a moment later would else write into a file that nobody sends.
    /// - Returns: what is left to `perform`.
    func depart(_ actions: [UploadAction], _ state: inout DropState) -> [UploadAction] {
        var result: [UploadAction] = []
        for action in actions {
            result.append(action)
            switch action {
            case .succeeded(let send, _, _): leave(send.id.rawValue, &state)
            case .setAside(let id, let reason): result += setAside(id.rawValue, reason, &state)
            default: break
            }
        }
        return result
    }

    private func leave(_ number: Int64, _ state: inout DropState) {
        guard let node = state.tree[number], let file = node.file, node.parent != nil else { return }
        state.departed[number] = DepartedFile(
            name: node.name, folders: state.tree.folders(above: number), file: file)
        state.tree.detach(number)
        _ = state.tree.removeIfUnused(number)
    }

    /// Says so, and does it where the event could not.
    func tellSetAside(_ id: UploadID, _ reason: FailureReason) {
        let (path, actions) = state.withLock { state in
            (state.tree.path(of: id.rawValue), setAside(id.rawValue, reason, &state))
        }
        context.log.error("\(target.url.masked): \(path): set aside in failed/: \(FailureText.summary(reason))")
        perform(actions)
    }

    /// - Returns: what the queue then wants.
    private func setAside(_ number: Int64, _ reason: FailureReason, _ state: inout DropState) -> [UploadAction] {
        guard let file = state.tree[number]?.file, state.tree.zone(of: number) == .drop else { return [] }
        if case .incomplete = reason, let kept = file.kept { return depart(split(number, kept, &state), &state) }
        moveAside(number, reason, Self.wallClock(), &state)
        return []
    }

    /// Moves a file to `failed/`, with an explanation beside it.
    func moveAside(_ number: Int64, _ reason: FailureReason, _ time: Int64, _ state: inout DropState) {
        guard let node = state.tree[number] else { return }
        let folder = makeFolders(state.tree.folders(above: number), in: DropTree.failed, &state)
        state.tree.move(number, to: folder, as: state.tree.freeName(node.name, in: folder))
        explain(number, reason, time, &state)
        if let record = state.queue.record(of: UploadID(rawValue: number)) {
            commit(number, record, &state, isFlush: false)
        }
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
    func split(_ number: Int64, _ kept: DropFile.Kept, _ state: inout DropState) -> [UploadAction] {
        guard let node = state.tree[number], let file = node.file, let parent = node.parent else { return [] }
        let half = state.takeNumber()
        var halfFile = DropFile(number: file.number, spool: file.spool)
        halfFile.size = file.size
        halfFile.staleRows = file.staleRows
        var halfNode = node
        halfNode.content = .file(halfFile)
        halfNode.lookups = 0
        halfNode.openHandles = 0
        halfNode.name = state.tree.freeName(node.name, in: parent)
        state.tree.insert(half, halfNode, in: parent)
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
        let isCandidate = state.tree.isCandidate(number)
        var actions = state.queue.removed(UploadID(rawValue: number))
        actions += state.queue.restore(kept.record, isCandidate: isCandidate, now: now)
        let record = UploadRecord(
            id: UploadID(rawValue: half), stage: .incomplete, version: 1, keyBase: Self.makeKey(), attempts: 0,
            lostAnswers: 0, status: 0, words: "")
        return actions + state.queue.restore(record, isCandidate: isCandidate, now: now)
    }
}
