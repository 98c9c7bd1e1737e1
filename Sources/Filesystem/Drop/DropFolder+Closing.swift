import Fuse
import HTTP
import Platform
import Store
import Uploads

/// Closing files: what they hold goes to the disk and into the journal.
extension DropFolder {
    /// - Parameters:
    ///   - hasWritten: through this descriptor, since its last FLUSH.
    ///   - hasChanged: the same, or it was made, emptied or given another size.
    func flush(_ number: Int64, hasWritten: Bool, hasChanged: Bool, reply: consuming Reply) {
        // What others have not written to its end is not whole because somebody looked in.
        if !hasChanged, state.withLock({ $0.queue.writers(of: UploadID(rawValue: number)) }) > 1 { return reply.done() }
        save(number, context.hold(reply)) { [self] reply, record in
            guard context.options.waitsForVerdict, hasWritten else { return reply.done() }
            awaitVerdict(number, record, reply)
        }
    }

    /// What was written since the last FLUSH is half a file.
    func writerFailed(_ number: Int64) { state.withLock { $0.queue.writerFailed(UploadID(rawValue: number)) } }

    /// FSYNC: the bytes outlast a crash, but do not count as whole. Only a close says that.
    func synchronize(_ number: Int64, reply: consuming Reply) {
        let parked = context.hold(reply)
        let isCommitted = state.withLock { state -> Bool in
            guard let record = state.queue.record(of: UploadID(rawValue: number)) else { return false }
            return commit(number, record, &state, isFlush: false, isSynced: true) { [self] error in
                if error != nil { writerFailed(number) }
                guard let reply = context.take(parked) else { return }
                if let error { reply.fail(error.errno) } else { reply.done() }
            }
        }
        // Nothing of a removed file outlasts a crash.
        if !isCommitted, let reply = context.take(parked) { reply.done() }
    }

    /// Brings the present version to the disk and into the journal, then goes on with the reply.
    private func save(
        _ number: Int64, _ parked: ParkedReply,
        then next: @escaping @Sendable (consuming Reply, UploadRecord) -> Void
    ) {
        let record = state.withLock { state -> UploadRecord?? in
            let isChanging = state.tree.withFile(number) { file in
                if file.changes > 0 { file.waiting.append { [self] in save(number, parked, then: next) } }
                return file.changes > 0
            }
            if isChanging == true { return .none }
            let id = UploadID(rawValue: number)
            guard let record = state.queue.flushBegan(id) else { return state.queue.record(of: id) }
            let isCommitted = commit(number, record, &state, isFlush: true) { [self] error in
                guard let reply = context.take(parked) else { return }
                if let error { return reply.fail(error.errno) }
                next(reply, record)
            }
            return isCommitted ? .none : .some(nil)
        }
        guard let record, let reply = context.take(parked) else { return }
        // All is safe already, or it is half a file for good, or nowhere any more.
        if let record, record.stage == .complete { next(reply, record) } else { reply.done() }
    }

    /// Hands the file's row to the journal; under the lock, so that rows are committed in the order of the records.
    /// - Parameters:
    ///   - isFlush: a writer waits for it and is told if it fails; else the queue asks for it again.
    ///   - isSynced: the bytes go to the disk even if they are not whole.
    /// - Returns: false if there is nothing to keep any more; `completion` is not called then.
    @discardableResult
    func commit(
        _ number: Int64, _ record: UploadRecord, _ state: inout DropState, isFlush: Bool,
        isSynced: Bool = false, completion: (@Sendable (StoreError?) -> Void)? = nil
    ) -> Bool {
        guard !state.isClosed, let file = state.tree[number]?.file, let row = row(number, record, state) else {
            return false
        }
        var changes: [JournalChange] = [.put(row)]
        let isComplete = record.stage != .incomplete
        let superseded = isComplete ? file.staleRows + (file.kept.map { [$0.number] } ?? []) : []
        changes += superseded.map { .remove($0) }
        if isComplete {
            // What is written from here on is another version.
            state.tree.withFile(number) { file in
                file.isSafe = true
                file.flushed = record
                file.kept?.isSuperseded = true
            }
        }
        var spool: [SpoolFile] = []
        if record.needsSync || isSynced, let bytes = file.spool ?? (try? self.spool.open(file.number)) {
            spool = [bytes]
        }
        let version = file.number
        journal.commit(changes, syncing: spool) { [self] error in
            let actions = committed(number, version, record, superseded, error, isFlush: isFlush)
            perform(actions)
            completion?(error)
        }
        return true
    }

    private func committed(
        _ number: Int64, _ version: Int64, _ record: UploadRecord, _ superseded: [Int64], _ error: StoreError?,
        isFlush: Bool
    ) -> [UploadAction] {
        if let error { context.log.error("\(target.url.masked): \(path(of: number)): \(error)") }
        return state.withLock { state in
            guard error == nil else {
                state.tree.withFile(number) { file in
                    if let kept = file.kept, superseded.contains(kept.number) { file.kept?.isSuperseded = false }
                }
                guard isFlush else {
                    state.queue.journalFailed(record, now: .now())
                    return []
                }
                // What was written since is another version, which will have a FLUSH of its own.
                guard state.tree[number]?.file?.number == version else { return [] }
                let actions = enact(state.queue.flushFailed(record), &state)
                if state.queue.record(of: record.id)?.stage == .incomplete {
                    state.tree.withFile(number) { $0.flushed = nil }
                }
                return actions
            }
            state.tree.withFile(number) { file in
                file.staleRows.removeAll { superseded.contains($0) }
                if let kept = file.kept, superseded.contains(kept.number) { file.kept = nil }
            }
            return enact(state.queue.journalled(record, now: .now()), &state)
        }
    }

    func released(_ number: Int64, mayWrite: Bool) {
        context.counters.openFiles.add(-1)
        let actions = state.withLock { state in
            state.tree[number]?.openHandles -= 1
            // The row of a file that was changed since its last FLUSH needs the descriptor.
            let actions =
                mayWrite ? enact(state.queue.writerClosed(UploadID(rawValue: number), now: .now()), &state) : []
            _ = state.tree.removeIfUnused(number)
            closeIfIdle(number, &state)
            return actions
        }
        perform(actions)
    }
}
