package import Platform

/// Every file of one drop target on its way from a writer to the server. Pure: each event returns what is to be done.
///
/// What it sees to: a file is sent only when its content is whole, safe in the journal, closed and quiet; one version
/// has one key, and no two versions share one; a file has at most one transfer at a time, and the target at most
/// `parallel`; nothing is given up but what the server refused, what was never whole, and what may have arrived.
///
/// The owner calls it under one lock. Events about files it does not know (any more) do nothing.
package struct UploadQueue: Sendable {
    let options: UploadQueueOptions
    var files: [UploadID: UploadFile] = [:]
    var schedule = UploadSchedule()
    var pause: TargetPause
    var sending = 0
    var sent = 0
    private(set) var isStopped = false
    /// Rows whose commit failed, and when it is tried again.
    private var unsaved: Set<UploadID> = []
    private(set) var saveAgain: Instant?

    package init(_ options: UploadQueueOptions) {
        self.options = options
        pause = TargetPause(backoff: options.backoff)
    }

    // MARK: Names

    /// A new, empty file without a writer; its row is incomplete until its first flush or last close.
    /// - Parameter keyBase: random text, never used for another file.
    package mutating func add(_ id: UploadID, keyBase: String, isCandidate: Bool, now: Instant) {
        put(UploadFile(id: id, keyBase: keyBase, isCandidate: isCandidate, now: now))
    }

    /// A file found in the journal after a start, or put back to what the journal says. One that was not whole is set
    /// aside, unless its name is one that is never sent.
    package mutating func restore(_ record: UploadRecord, isCandidate: Bool, now: Instant) -> [UploadAction] {
        var file = UploadFile(record, isCandidate: isCandidate, now: now)
        if let old = files[record.id], let running = old.running { file.keep(running, isCancelling: old.isCancelling) }
        put(file)
        return closed(record.id)
    }

    /// It has another name (or folder) now: a running transfer is cancelled, and it is sent under a new key.
    package mutating func renamed(_ id: UploadID, isCandidate: Bool, now: Instant) -> [UploadAction] {
        guard var file = live(id), !file.isFailed else { return [] }
        var actions = withdraw(&file)
        file.nextVersion()
        file.isCandidate = isCandidate
        file.isBlocked = false
        file.quietSince = now
        put(file)
        actions.append(.journal(id))
        return actions + closed(id)
    }

    /// An empty file beside the partial download it holds a place for is kept back (`true`), until that is gone.
    package mutating func placeholderBlocked(_ id: UploadID, _ isBlocked: Bool, now: Instant) -> [UploadAction] {
        guard var file = live(id), file.isBlocked != isBlocked else { return [] }
        file.isBlocked = isBlocked
        file.quietSince = now
        let actions = isBlocked ? withdrawVerdict(&file) : []
        put(file)
        return actions + startReady(now)
    }

    /// It was removed or replaced: never sent, a running transfer is cancelled.
    package mutating func removed(_ id: UploadID) -> [UploadAction] {
        guard var file = live(id) else { return [] }
        let actions = withdraw(&file)
        file.isRemoved = true
        if file.running == nil { files[id] = nil } else { put(file) }
        return actions
    }

    /// It is taken back from `failed/` and sent as it is, also if it was incomplete: somebody moved it back, or its owner
    /// put the content before the incomplete one in its place.
    package mutating func retry(_ id: UploadID, isCandidate: Bool, now: Instant) -> [UploadAction] {
        guard var file = live(id), file.isFailed else { return [] }
        file.isFailed = false
        file.isSpoiled = false
        file.nextVersion()
        file.finishContent()
        file.isCandidate = isCandidate
        file.quietSince = now
        put(file)
        return [.journal(id)]
    }

    // MARK: Content

    /// A handle that may write was opened. A running transfer goes on until the content changes.
    package mutating func writerOpened(_ id: UploadID) {
        guard var file = live(id) else { return }
        file.writers += 1
        put(file)
    }

    /// The content is about to change (write, truncate, open with O_TRUNC); the file has a writer.
    ///
    /// So that no mix of two versions is ever sent, and a crash leaves no half new content that passes for whole:
    /// - a transfer that is cancelled here reads nothing more of the spool file;
    /// - flushed bytes are not touched while the journal calls them whole: either the owner waits until `mayWrite` says so
    ///   (for the next `journalled` of this file; if the commit failed, so does the change), or it first gives them
    ///   another number in the spool, so that a crash finds no bytes for the row that calls them whole;
    /// - no `flushBegan` of this file comes between that check and the end of the change (a lock of the file).
    /// - Parameter isEmptied: the content is cut to nothing, which heals what a failed writer left.
    package mutating func contentChanged(_ id: UploadID, isEmptied: Bool) -> [UploadAction] {
        guard var file = live(id), !file.isFailed else { return [] }
        var actions = withdraw(&file)
        if file.beginChange() { actions.append(.journal(id)) }
        if !isEmptied { file.isBlocked = false } else if file.mayWrite { file.isSpoiled = false }
        put(file)
        return actions
    }

    /// The content is now another, empty spool file, of which the journal knows nothing yet; it may be changed at once.
    package mutating func contentReplaced(_ id: UploadID) -> [UploadAction] {
        let actions = contentChanged(id, isEmptied: true)
        guard var file = live(id), !file.isFailed else { return actions }
        file.isSpoiled = false
        put(file)
        return actions
    }

    /// Whether the spool file of this id may be changed now; see `contentChanged`. Files that are never sent again
    /// (removed, unknown) may always.
    package func mayWrite(_ id: UploadID) -> Bool { live(id)?.mayWrite ?? true }

    /// FLUSH: what is to be committed now (after a sync if it says so), then told to `journalled` or `flushFailed`; nil
    /// if all is safe already or the content will not be sent. As with `UploadAction.journal` the journal gets it
    /// inside the critical section of this call.
    package mutating func flushBegan(_ id: UploadID) -> UploadRecord? {
        guard var file = live(id), !file.isFailed, !file.isSpoiled, !file.isSaved else { return nil }
        file.finishContent()
        put(file)
        return file.record
    }

    /// The commit of a `flushBegan` failed, its writer was told so: as `writerFailed`.
    package mutating func flushFailed(_ record: UploadRecord) -> [UploadAction] {
        guard var file = live(record.id), file.isUnsynced(record) else { return [] }
        guard file.isComplete else {
            file.isSpoiled = true
            put(file)
            return []
        }
        let actions = withdraw(&file)
        _ = file.beginChange()
        file.isSpoiled = true
        put(file)
        return actions + [.journal(record.id)] + closed(record.id)
    }

    /// A writer was killed (its FLUSH says so), or a write or sync failed and may have left half of it: at the last
    /// close the file is set aside as incomplete, unless it was emptied and written again before. What was flushed and
    /// not changed since stays whole.
    package mutating func writerFailed(_ id: UploadID) {
        guard var file = live(id), !file.isComplete else { return }
        file.isSpoiled = true
        put(file)
    }

    /// A handle that may write was released. The last one starts the quiet time.
    package mutating func writerClosed(_ id: UploadID, now: Instant) -> [UploadAction] {
        guard var file = live(id) else { return [] }
        file.writers = max(0, file.writers - 1)
        file.quietSince = now
        put(file)
        return closed(id)
    }

    // MARK: Journal

    /// This record is in the journal, and what it needed to be synchronised is on disk.
    package mutating func journalled(_ record: UploadRecord, now: Instant) -> [UploadAction] {
        guard var file = live(record.id) else { return [] }
        file.journalled(record)
        put(file)
        return startReady(now)
    }

    /// The commit asked for by a `journal` or `setAside` action failed. It is asked for again after some seconds; that of a
    /// content about to change also at the next `contentChanged`.
    package mutating func journalFailed(_ record: UploadRecord, now: Instant) {
        guard var file = live(record.id) else { return }
        file.journalFailed()
        put(file)
        unsaved.insert(record.id)
        saveAgain = saveAgain ?? now + Self.savePause
    }

    /// A full disk is seldom emptied faster.
    private static let savePause = Duration.seconds(5)

    /// The rows whose commit is due again.
    mutating func saveUnsaved(_ now: Instant) -> [UploadAction] {
        guard let due = saveAgain, due <= now else { return [] }
        defer {
            unsaved = []
            saveAgain = nil
        }
        return unsaved.sorted().filter { live($0) != nil }.map { .journal($0) }
    }

    /// Nothing is started any more, running transfers are cancelled; the files stay as they are. What a transfer comes
    /// to in spite of that still counts.
    package mutating func stop() -> [UploadAction] {
        isStopped = true
        var actions: [UploadAction] = []
        for id in files.keys.sorted() {
            guard var file = files[id] else { continue }
            actions += withdraw(&file)
            put(file)
        }
        return actions
    }

    // MARK: Inside

    func live(_ id: UploadID) -> UploadFile? {
        guard let file = files[id], !file.isRemoved else { return nil }
        return file
    }

    /// Takes the new state of a file in; every change goes this way, so that the schedule stays true.
    mutating func put(_ changed: UploadFile) {
        var file = changed
        let ready = file.ready(settle: options.settle)
        if ready != file.scheduled, let ready { schedule.add(.init(at: ready, id: file.id)) }
        file.scheduled = ready
        files[file.id] = file
        schedule.compact(live: files.count) { [files] in files[$0.id]?.scheduled == $0.at }
    }

    /// Takes back what is under way for the present version.
    private func withdraw(_ file: inout UploadFile) -> [UploadAction] {
        var actions: [UploadAction] = []
        if let running = file.running, !file.isCancelling {
            file.isCancelling = true
            actions.append(.cancel(running))
        }
        return actions + withdrawVerdict(&file)
    }

    private func withdrawVerdict(_ file: inout UploadFile) -> [UploadAction] {
        guard let version = file.awaited else { return [] }
        file.awaited = nil
        return [.verdict(file.id, version: version, .withdrawn)]
    }

    /// Once nobody writes: an incomplete file is set aside, a changed one journalled, a decided one leaves.
    private mutating func closed(_ id: UploadID) -> [UploadAction] {
        guard var file = live(id), file.writers == 0, !file.isFailed else { return [] }
        if file.isSpoiled { return file.isCandidate ? carryOut(.failed(.incomplete), id) : [] }
        if let held = file.held { return carryOut(held, id) }
        if file.isComplete { return [] }
        file.finishContent()
        put(file)
        return [.journal(id)]
    }
}
