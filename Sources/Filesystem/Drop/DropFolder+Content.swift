import Fuse
import HTTP
import Platform
import Store
import Uploads

/// Opening, reading, writing and closing files.
extension DropFolder {
    func open(node: NodeID, flags: Int32, reply: consuming Reply) {
        let number = nodes.number(node)
        let mayWrite = flags & OpenFlags.accessMode != OpenFlags.readOnly
        if let text = state.withLock({ $0.tree[number]?.text }) {
            guard !mayWrite else { return reply.fail(.access) }
            return reply.opened(TextFile(text), directIO: false, keepCache: false, noFlush: true)
        }
        let result = state.withLock { state -> Result<[UploadAction], Errno> in
            // It may have left the folder since its name was looked up; then the kernel looks again.
            guard let node = state.tree[number], node.parent != nil || DropTree.isFixed(number) else {
                return .failure(.stale)
            }
            guard node.file != nil else { return .failure(.isDirectory) }
            // What was set aside is only kept: changing it would make it another file than the one that failed.
            guard !mayWrite || state.tree.zone(of: number) != .failed else { return .failure(.access) }
            state.tree[number]?.openHandles += 1
            guard mayWrite else { return .success([]) }
            _ = state.tree.withFile(number) { $0.writers += 1 }
            state.queue.writerOpened(UploadID(rawValue: number))
            return .success([])
        }
        if case .failure(let errno) = result { return reply.fail(errno) }
        context.counters.openFiles.add(1)
        if mayWrite, flags & OpenFlags.truncate != 0, let errno = empty(number) {
            released(number, mayWrite: true)
            return reply.fail(errno)
        }
        reply.opened(
            DropFileHandle(self, number: number, mayWrite: mayWrite), directIO: false, keepCache: false,
            noFlush: !mayWrite)
    }

    func read(_ number: Int64, offset: Int64, size: Int, reply: consuming Reply) {
        do throws(StoreError) {
            guard let spool = try spoolFile(number) else { return reply.fail(.stale) }
            guard let bytes = try spool.read(offset: offset, count: size),
                let slice = bytes.slice(offset: 0, count: size)
            else { return reply.empty() }
            reply.data(slice)
        } catch { reply.fail(error.errno) }
    }

    func write(_ number: Int64, offset: Int64, _ data: borrowing WriteBuffer, reply: consuming Reply) {
        switch write(number, offset: offset, data) {
        case .success(let count): reply.written(count)
        case .failure(let errno):
            // What is there now is not what was meant. A shell closes a copy of its descriptor before the first byte: the
            // empty file that was flushed by that was not meant either.
            if state.withLock({ $0.tree[number]?.file?.size == 0 }) { _ = try? changeable(number) }
            state.withLock { $0.queue.writerFailed(UploadID(rawValue: number)) }
            reply.fail(errno)
        }
    }

    private func write(_ number: Int64, offset: Int64, _ data: borrowing WriteBuffer) -> Result<Int, Errno> {
        guard hasRoom(for: Int64(data.count)) else { return .failure(.noSpace) }
        do throws(StoreError) {
            guard let spool = try changeable(number) else { return .failure(.stale) }
            // Also after a failure: some bytes may have got there.
            defer { noteSize(number, spool) }
            return data.copy(to: spool.descriptor, at: offset)
        } catch { return .failure(error.errno) }
    }

    func allocate(_ number: Int64, mode: Int32, offset: Int64, length: Int64, reply: consuming Reply) {
        guard hasRoom(for: length) else { return reply.fail(.noSpace) }
        do throws(StoreError) {
            guard let spool = try changeable(number) else { return reply.fail(.stale) }
            try spool.allocate(mode: mode, offset: offset, length: length)
            noteSize(number, spool)
            reply.done()
        } catch { reply.fail(error.errno) }
    }

    func change(node: NodeID, _ changes: AttributeChanges, file: (any OpenFile)?, reply: consuming Reply) {
        let number = nodes.number(node)
        if let size = changes.size, let errno = resize(number, to: size, isOpen: file != nil) {
            return reply.fail(errno)
        }
        let result = state.withLock { state -> Result<(Attributes, [JournalRow]), Errno> in
            guard var node = state.tree[number] else { return .failure(.stale) }
            if node.text != nil, changes.permissions != nil || changes.modified != nil {
                return .failure(.notPermitted)
            }
            let options = context.options
            guard changes.user ?? options.user == options.user, changes.group ?? options.group == options.group else {
                return .failure(.notPermitted)
            }
            if let permissions = changes.permissions { node.permissions = permissions & 0o777 }
            if let modified = changes.modified { node.modified = modified }
            state.tree[number] = node
            // Before the first FLUSH there is nothing to keep: that writes the whole row.
            let isKept = DropTree.isFixed(number) ? false : node.file.map { $0.isSafe } ?? node.isFolder
            return .success((attributes(number, node), isKept ? rows(number, state) : []))
        }
        switch result {
        case .failure(let errno): reply.fail(errno)
        case .success((let attributes, let rows)):
            note(rows.map { .put($0) })
            reply.attributes(attributes, timeout: .zero)
        }
    }

    /// - Parameter isOpen: a descriptor for writing is open, whose closing makes the change count.
    private func resize(_ number: Int64, to size: Int64, isOpen: Bool) -> Errno? {
        let before = state.withLock { state in
            // See `open`; what is open can be changed though it is in no folder.
            isOpen || state.tree[number]?.parent != nil ? state.tree[number]?.file?.size : nil
        }
        guard let before else { return .stale }
        guard state.withLock({ $0.tree.zone(of: number) != .failed }) else { return .access }
        guard size <= before || hasRoom(for: 0) else { return .noSpace }
        let id = UploadID(rawValue: number)
        if !isOpen { state.withLock { $0.queue.writerOpened(id) } }
        defer {
            if !isOpen { perform(state.withLock { depart($0.queue.writerClosed(id, now: .now()), &$0) }) }
        }
        if size == 0 { return empty(number) }
        do throws(StoreError) {
            guard let spool = try changeable(number) else { return .stale }
            try spool.truncate(to: size)
            noteSize(number, spool)
            return nil
        } catch { return error.errno }
    }

    /// Room for the bytes, and then still for the journal: what is accepted must always be recordable.
    private func hasRoom(for bytes: Int64) -> Bool { spool.freeBytes - SpoolFolder.journalReserve > bytes }

    private func noteSize(_ number: Int64, _ spool: SpoolFile) {
        guard let size = try? spool.size() else { return }
        let now = Self.wallClock()
        state.withLock { state in
            state.tree.withFile(number) { file in if file.spool === spool { file.size = size } }
            state.tree[number]?.modified = now
        }
    }

    /// The file's bytes, opened if need be; nil if it is gone.
    func spoolFile(_ number: Int64) throws(StoreError) -> SpoolFile? {
        guard let file = state.withLock({ $0.tree[number]?.file }) else { return nil }
        if let spool = file.spool { return spool }
        let spool = try spool.open(file.number)
        return state.withLock { state in
            state.tree.withFile(number) { file in
                // Another thread may have been faster.
                if file.spool == nil { file.spool = spool }
                return file.spool
            } ?? nil
        }
    }

    /// The file's bytes, to be changed. If they are safe, they first become another version: its number is another one
    /// from before the first new byte, so a crash leaves no row that takes half-changed bytes for flushed ones; and a
    /// transfer of them sends nothing more.
    private func changeable(_ number: Int64) throws(StoreError) -> SpoolFile? {
        guard let spool = try spoolFile(number) else { return nil }
        let id = UploadID(rawValue: number)
        var failure: StoreError?
        let actions = state.withLock { state -> [UploadAction] in
            guard let file = state.tree[number]?.file else { return [] }
            // A local rename, under the lock: two writers must not both begin the new version.
            state.transfers[number]?.invalidate()
            if file.isSafe {
                let next = state.takeNumber()
                do throws(StoreError) { try self.spool.rename(file.number, to: next) } catch {
                    failure = error
                    return []
                }
                state.tree.withFile(number) { file in
                    file.staleRows.append(file.number)
                    file.number = next
                    file.isSafe = false
                }
            }
            return state.queue.contentChanged(id, isEmptied: false)
        }
        if let failure { throw failure }
        perform(actions)
        return spool
    }

    /// Begins a version without bytes. The one before is kept until the new one is safe.
    private func empty(_ number: Int64) -> Errno? {
        let next = state.withLock { $0.takeNumber() }
        let fresh: SpoolFile
        do throws(StoreError) { fresh = try spool.create(next) } catch { return error.errno }
        let id = UploadID(rawValue: number)
        let result = state.withLock { state -> (actions: [UploadAction], unused: Int64?)? in
            guard let file = state.tree[number]?.file else { return nil }
            state.transfers[number]?.invalidate()
            let record = file.flushed
            var unused: Int64?
            state.tree.withFile(number) { file in
                if file.isSafe, let record {
                    file.kept = DropFile.Kept(number: file.number, size: file.size, record: record)
                } else {
                    file.staleRows.append(file.number)
                    unused = file.number
                }
                file.number = next
                file.spool = fresh
                file.size = 0
                file.isSafe = false
            }
            state.tree[number]?.modified = Self.wallClock()
            fresh.setNote(state.tree.path(of: number))
            return (state.queue.contentChanged(id, isEmptied: true), unused)
        }
        guard let result else {
            spool.remove(next)
            return .stale
        }
        // Bytes that never were safe, and are wanted no more.
        if let unused = result.unused { spool.remove(unused) }
        perform(result.actions)
        return nil
    }

    // MARK: Closing

    /// - Parameter hasWritten: through this descriptor, since its last FLUSH.
    func flush(_ number: Int64, hasWritten: Bool, wasKilled: Bool, reply: consuming Reply) {
        if wasKilled {
            state.withLock { $0.queue.writerFailed(UploadID(rawValue: number)) }
            return reply.done()
        }
        save(number, reply: reply) { [self] reply, record in
            guard context.options.waitsForVerdict, hasWritten else { return reply.done() }
            awaitVerdict(number, record, reply)
        }
    }

    func synchronize(_ number: Int64, reply: consuming Reply) {
        save(number, reply: reply) { reply, _ in reply.done() }
    }

    /// Brings the present version to the disk and into the journal, then goes on with the reply.
    private func save(
        _ number: Int64, reply: consuming Reply,
        then next: @escaping @Sendable (consuming Reply, UploadRecord) -> Void
    ) {
        let parked = context.hold(reply)
        let isCommitted = state.withLock { state -> Bool in
            guard let record = state.queue.flushBegan(UploadID(rawValue: number)) else { return false }
            return commit(number, record, &state, isFlush: true) { [self] error in
                guard let reply = context.take(parked) else { return }
                if let error { return reply.fail(error.errno) }
                next(reply, record)
            }
        }
        // All is safe already, or it is half a file for good.
        if !isCommitted, let reply = context.take(parked) { reply.done() }
    }

    /// Hands the file's row to the journal; under the lock, so that rows are committed in the order of the records.
    /// - Parameter isFlush: a writer waits for it and is told if it fails; else the queue asks for it again.
    /// - Returns: false if there is nothing to keep any more; `completion` is not called then.
    @discardableResult
    func commit(
        _ number: Int64, _ record: UploadRecord, _ state: inout DropState, isFlush: Bool,
        completion: (@Sendable (StoreError?) -> Void)? = nil
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
            }
        }
        let spool = record.needsSync ? file.spool.map { [$0] } ?? [] : []
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
                state.tree.withFile(number) { file in if file.number == version { file.isSafe = false } }
                if isFlush { return state.queue.flushFailed(record) }
                state.queue.journalFailed(record, now: .now())
                return []
            }
            state.tree.withFile(number) { file in
                file.staleRows.removeAll { superseded.contains($0) }
                if let kept = file.kept, superseded.contains(kept.number) { file.kept = nil }
            }
            return state.queue.journalled(record, now: .now())
        }
    }

    func released(_ number: Int64, mayWrite: Bool) {
        context.counters.openFiles.add(-1)
        let actions = state.withLock { state -> [UploadAction] in
            state.tree[number]?.openHandles -= 1
            var actions: [UploadAction] = []
            if mayWrite {
                state.tree.withFile(number) { $0.writers -= 1 }
                actions = depart(state.queue.writerClosed(UploadID(rawValue: number), now: .now()), &state)
            }
            _ = state.tree.removeIfUnused(number)
            return actions
        }
        perform(actions)
    }
}

/// The flags of open(2) that matter here.
private enum OpenFlags {
    /// `O_ACCMODE`
    static let accessMode: Int32 = 3
    /// `O_RDONLY`
    static let readOnly: Int32 = 0
    /// `O_TRUNC`
    static let truncate: Int32 = 0o1000
}
