import Fuse
import HTTP
import Platform
import Store
import Uploads

/// Opening, reading and writing files.
extension DropFolder {
    func open(node: NodeID, flags: Int32, reply: consuming Reply) {
        let number = nodes.number(node)
        let mayWrite = flags & OpenFlags.accessMode != OpenFlags.readOnly
        let isEmptied = flags & OpenFlags.truncate != 0
        if let text = state.withLock({ $0.tree[number]?.text }) {
            guard !mayWrite else { return reply.fail(.access) }
            return reply.opened(TextFile(text), directIO: false, keepCache: false, noFlush: true)
        }
        let failure = state.withLock { state -> Errno? in
            guard let node = state.tree[number] else { return .stale }
            guard node.file != nil else { return node.isFolder ? .isDirectory : .stale }
            if mayWrite || isEmptied, let errno = state.tree.changeError(number) { return errno }
            state.tree[number]?.openHandles += 1
            if mayWrite { state.queue.writerOpened(UploadID(rawValue: number)) }
            return nil
        }
        if let failure { return reply.fail(failure) }
        context.counters.openFiles.add(1)
        if let errno = isEmptied ? resize(number, to: 0, isOpen: mayWrite) : opened(number) {
            released(number, mayWrite: mayWrite)
            return reply.fail(errno)
        }
        reply.opened(
            DropFileHandle(self, number: number, mayWrite: mayWrite, isEmptied: isEmptied), directIO: false,
            keepCache: false,
            noFlush: !mayWrite, isEmptied: isEmptied)
    }

    /// An open file keeps its bytes, also when it is removed.
    private func opened(_ number: Int64) -> Errno? {
        do throws(StoreError) {
            return try spoolFile(number) == nil ? .stale : nil
        } catch { return error.errno }
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
            if state.withLock({ $0.tree[number]?.file?.size == 0 }) { _ = try? changeBytes(number) { _ in } }
            writerFailed(number)
            reply.fail(errno)
        }
    }

    private func write(_ number: Int64, offset: Int64, _ data: borrowing WriteBuffer) -> Result<Int, Errno> {
        guard hasRoom(for: Int64(data.count)) else { return .failure(.noSpace) }
        do throws(StoreError) {
            return try changeBytes(number) { data.copy(to: $0.descriptor, at: offset) } ?? .failure(.stale)
        } catch { return .failure(error.errno) }
    }

    func allocate(_ number: Int64, mode: Int32, offset: Int64, length: Int64, reply: consuming Reply) {
        guard hasRoom(for: length) else { return reply.fail(.noSpace) }
        do throws(StoreError) {
            let isDone: Void? = try changeBytes(number) { spool throws(StoreError) in
                try spool.allocate(mode: mode, offset: offset, length: length)
            }
            if isDone == nil { reply.fail(.stale) } else { reply.done() }
        } catch { reply.fail(error.errno) }
    }

    func change(node: NodeID, _ changes: AttributeChanges, file: (any OpenFile)?, reply: consuming Reply) {
        let number = nodes.number(node)
        if changes.size != nil { (file as? DropFileHandle)?.noteChange() }
        if let size = changes.size, let errno = resize(number, to: size, isOpen: file != nil) {
            return reply.fail(errno)
        }
        let result = state.withLock { state -> Result<(Attributes, [JournalRow]), Errno> in
            guard var node = state.tree[number], !node.isGone else { return .failure(.stale) }
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
        let id = UploadID(rawValue: number)
        let hasRoom = hasRoom(for: 0)
        let failure = state.withLock { state -> Errno? in
            guard let node = state.tree[number] else { return .stale }
            guard let file = node.file else { return node.isGone ? .stale : .access }
            if let errno = state.tree.changeError(number) { return errno }
            guard size <= file.size || hasRoom else { return .noSpace }
            if !isOpen { state.queue.writerOpened(id) }
            return nil
        }
        if let failure { return failure }
        defer {
            if !isOpen {
                act { state in
                    defer { closeIfIdle(number, &state) }
                    return state.queue.writerClosed(id, now: .now())
                }
            }
        }
        if size == 0 { return empty(number) }
        do throws(StoreError) {
            let isDone: Void? = try changeBytes(number) { spool throws(StoreError) in try spool.truncate(to: size) }
            return isDone == nil ? .stale : nil
        } catch { return error.errno }
    }

    /// Room for the bytes, and then still for the journal: what is accepted must always be recordable.
    private func hasRoom(for bytes: Int64) -> Bool { spool.freeBytes - SpoolFolder.journalReserve > bytes }

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

    /// Changes the file's bytes, with no lock held; nil if the file is gone.
    private func changeBytes<Result>(
        _ number: Int64, _ body: (SpoolFile) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        guard let spool = try beginChange(number) else { return nil }
        // Also after a failure: some bytes may have got there.
        defer { endChange(number, spool) }
        return try body(spool)
    }

    /// The file's bytes, to be changed. If they are safe, they first become another version: its number is another one
    /// from before the first new byte, so a crash leaves no row that takes half-changed bytes for flushed ones; and a
    /// transfer of them sends nothing more.
    private func beginChange(_ number: Int64) throws(StoreError) -> SpoolFile? {
        guard let spool = try spoolFile(number) else { return nil }
        let id = UploadID(rawValue: number)
        var failure: StoreError?
        act { state in
            guard let node = state.tree[number], let file = node.file else { return [] }
            // A local rename, under the lock: two writers must not both begin the new version.
            state.transfers[number]?.invalidate()
            // Of a removed file there are no rows, nor a name in the spool.
            if file.isSafe, node.parent != nil {
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
            state.tree.withFile(number) { $0.changes += 1 }
            return state.queue.contentChanged(id, isEmptied: false)
        }
        if let failure { throw failure }
        return spool
    }

    private func endChange(_ number: Int64, _ spool: SpoolFile) {
        let now = Self.wallClock()
        let waiting = state.withLock { state in
            state.tree[number]?.modified = now
            return state.tree.withFile(number) { file -> [@Sendable () -> Void] in
                // Looked up under the lock: of two changes at once the later one must not be forgotten.
                if file.spool === spool, let size = try? spool.size() { file.size = size }
                file.changes -= 1
                guard file.changes == 0 else { return [] }
                defer { file.waiting = [] }
                return file.waiting
            } ?? []
        }
        for flush in waiting { flush() }
    }

    /// Gives the descriptor back once nobody needs it: many more files may wait in the queue than can be open.
    func closeIfIdle(_ number: Int64, _ state: inout DropState) {
        guard let node = state.tree[number], let file = node.file, node.parent != nil, node.openHandles == 0,
            file.changes == 0, state.transfers[number] == nil,
            file.isSafe || state.tree.zone(of: number) == .failed
        else { return }
        state.tree.withFile(number) { $0.spool = nil }
    }

    /// Begins a version without bytes. The one before is kept until the new one is safe.
    private func empty(_ number: Int64) -> Errno? {
        let next = state.withLock { $0.takeNumber() }
        let fresh: SpoolFile
        do throws(StoreError) { fresh = try spool.create(next) } catch { return error.errno }
        let id = UploadID(rawValue: number)
        let result = state.withLock { state -> (actions: [UploadAction], unused: Int64?)? in
            guard let node = state.tree[number], node.file != nil else { return nil }
            state.transfers[number]?.invalidate()
            var unused: Int64?
            state.tree.withFile(number) { file in
                if file.isSafe, let record = file.flushed {
                    if let older = file.kept { file.staleRows.append(older.number) }
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
            fresh.setNote(state.tree.note(of: number))
            // Of a removed file nothing is kept: its bytes go with the last descriptor.
            if node.parent == nil { spool.remove(next) }
            return (enact(state.queue.contentReplaced(id), &state), unused)
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
