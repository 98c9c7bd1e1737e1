import Fuse
import Glibc
import Platform
import Store
import Uploads

/// Making, renaming and removing names.
///
/// An answer that names are changed is given once the journal has it: else a crash would bring a removed file back, or
/// leave one for ever under the name under which it must not go up.
extension DropFolder {
    func create(parent: NodeID, name: FileName, permissions: UInt32, flags: Int32, reply: consuming Reply) {
        let folder = nodes.number(parent)
        if let errno = nameError(name) { return reply.fail(errno) }
        guard spool.freeBytes > SpoolFolder.journalReserve else { return reply.fail(.noSpace) }
        let (number, version) = state.withLock { ($0.takeNumber(), $0.takeNumber()) }
        let file: SpoolFile
        do throws(StoreError) { file = try spool.create(version) } catch { return reply.fail(error.errno) }
        let result = state.withLock { state -> Result<(Entry, [UploadAction], [JournalRow]), Errno> in
            guard let parent = state.tree[folder], parent.isFolder else { return .failure(.notDirectory) }
            guard state.tree.zone(of: folder) == .drop else { return .failure(.notPermitted) }
            guard state.tree.child(name, of: folder) == nil else { return .failure(.exists) }
            let content = DropFile(number: version, spool: file)
            state.tree.insert(
                number,
                DropNode(
                    parent: folder, name: name, content: .file(content), permissions: permissions & 0o777,
                    modified: Self.wallClock(), openHandles: 1), in: folder)
            touch(folder, &state)
            let now = Instant.now()
            let id = UploadID(rawValue: number)
            state.queue.add(id, keyBase: Self.makeKey(), isCandidate: state.tree.isCandidate(number), now: now)
            state.queue.writerOpened(id)
            let actions = enact(updatePlaceholders(around: name, in: folder, &state), &state)
            file.setNote(state.tree.note(of: number))
            return .success((countedEntry(number, &state), actions, rows(number, state)))
        }
        switch result {
        case .failure(let errno):
            spool.remove(version)
            reply.fail(errno)
        case .success((let entry, let actions, let rows)):
            // Not waited for: only a FLUSH makes the file count. The name helps to tell what a crash cut short.
            note(rows.map { .put($0) })
            context.counters.openFiles.add(1)
            let handle = DropFileHandle(self, number: number, mayWrite: true, isEmptied: true)
            reply.created(entry, handle, directIO: false, keepCache: false)
            perform(actions)
        }
    }

    func makeDirectory(parent: NodeID, name: FileName, permissions: UInt32, reply: consuming Reply) {
        let folder = nodes.number(parent)
        if let errno = nameError(name) { return reply.fail(errno) }
        let result = state.withLock { state -> Result<(Entry, [JournalRow]), Errno> in
            guard let parent = state.tree[folder], parent.isFolder else { return .failure(.notDirectory) }
            guard state.tree.zone(of: folder) == .drop else { return .failure(.notPermitted) }
            guard state.tree.child(name, of: folder) == nil else { return .failure(.exists) }
            guard state.tree.depth(folder) < DropTree.maximumDepth else { return .failure(.nameTooLong) }
            let number = state.takeNumber()
            state.tree.insert(
                number,
                DropNode(
                    parent: folder, name: name, content: .folder, permissions: permissions & 0o777,
                    modified: Self.wallClock()), in: folder)
            touch(folder, &state)
            return .success((countedEntry(number, &state), rows(number, state)))
        }
        switch result {
        case .failure(let errno): reply.fail(errno)
        case .success((let entry, let rows)):
            let parked = context.hold(reply)
            journal.commit(rows.map { .put($0) }) { [self] error in
                if error != nil { unmake(nodes.number(entry.node)) }
                guard let reply = context.take(parked) else { return }
                if let error { return reply.fail(error.errno) }
                reply.entry(entry)
            }
        }
    }

    /// Takes back a new folder that the journal could not take, unless something is in it already.
    private func unmake(_ number: Int64) {
        state.withLock { state in
            state.tree[number]?.lookups -= 1
            guard state.tree.children(of: number).isEmpty else { return }
            state.tree.detach(number)
            _ = state.tree.removeIfUnused(number)
        }
    }

    /// Hard and symbolic links, devices, pipes: nothing that could be uploaded.
    func makeSpecial(parent: NodeID, reply: consuming Reply) { reply.fail(.notPermitted) }

    func removeFile(parent: NodeID, name: FileName, reply: consuming Reply) {
        let folder = nodes.number(parent)
        let result = state.withLock { state -> Result<([JournalChange], [UploadAction]), Errno> in
            guard let number = state.tree.child(name, of: folder), let node = state.tree[number] else {
                return .failure(.noEntry)
            }
            guard !node.isFolder else { return .failure(.isDirectory) }
            let actions = remove(number, &state)
            touch(folder, &state)
            let others = updatePlaceholders(around: name, in: folder, &state)
            return .success((actions.changes, enact(actions.actions + others, &state)))
        }
        switch result {
        case .failure(let errno): reply.fail(errno)
        case .success((let changes, let actions)):
            perform(actions)
            answer(reply, after: changes)
        }
    }

    func removeDirectory(parent: NodeID, name: FileName, reply: consuming Reply) {
        let folder = nodes.number(parent)
        let result = state.withLock { state -> Result<[JournalChange], Errno> in
            guard let number = state.tree.child(name, of: folder), let node = state.tree[number] else {
                return .failure(.noEntry)
            }
            guard node.isFolder else { return .failure(.notDirectory) }
            guard !DropTree.isFixed(number) else { return .failure(.busy) }
            guard state.tree.children(of: number).isEmpty else { return .failure(.notEmpty) }
            state.tree.detach(number)
            _ = state.tree.removeIfUnused(number)
            touch(folder, &state)
            return .success([.remove(number)])
        }
        switch result {
        case .failure(let errno): reply.fail(errno)
        case .success(let changes): answer(reply, after: changes)
        }
    }

    func rename(
        parent: NodeID, name: FileName, newParent: NodeID, newName: FileName, flags: UInt32, reply: consuming Reply
    ) {
        let (folder, newFolder) = (nodes.number(parent), nodes.number(newParent))
        if let errno = nameError(newName) { return reply.fail(errno) }
        guard flags & ~RenameFlags.noReplace == 0 else { return reply.fail(.invalid) }
        let result = state.withLock { state -> Result<([JournalChange], [UploadAction]), Errno> in
            guard let number = state.tree.child(name, of: folder), let node = state.tree[number] else {
                return .failure(.noEntry)
            }
            guard let target = state.tree[newFolder], target.isFolder else { return .failure(.notDirectory) }
            let from = state.tree.zone(of: number)
            // Into the folder, or back into it from `failed`; the rest of both folders is not the user's to arrange.
            guard !DropTree.isFixed(number), state.tree.zone(of: newFolder) == .drop, from == .drop || from == .failed
            else { return .failure(.notPermitted) }
            guard node.text == nil else { return .failure(.notPermitted) }
            if node.isFolder {
                guard !state.tree.isInside(newFolder, number) else { return .failure(.invalid) }
                guard state.tree.depth(newFolder) + state.tree.height(number) <= DropTree.maximumDepth else {
                    return .failure(.nameTooLong)
                }
            }
            var changes: [JournalChange] = []
            var actions: [UploadAction] = []
            if let replaced = state.tree.child(newName, of: newFolder) {
                guard flags & RenameFlags.noReplace == 0 else { return .failure(.exists) }
                if replaced == number { return .success(([], [])) }
                guard !DropTree.isFixed(replaced) else { return .failure(.busy) }
                switch (node.isFolder, state.tree[replaced]?.isFolder == true) {
                case (true, false): return .failure(.notDirectory)
                case (false, true): return .failure(.isDirectory)
                case (true, true):
                    guard state.tree.children(of: replaced).isEmpty else { return .failure(.notEmpty) }
                    state.tree.detach(replaced)
                    _ = state.tree.removeIfUnused(replaced)
                    changes.append(.remove(replaced))
                case (false, false):
                    let removal = remove(replaced, &state)
                    changes += removal.changes
                    actions += removal.actions
                }
            }
            state.tree.move(number, to: newFolder, as: newName)
            touch(folder, &state)
            touch(newFolder, &state)
            changes += moved(number, cameBack: from == .failed, &state, &actions)
            actions += updatePlaceholders(around: name, in: folder, &state)
            actions += updatePlaceholders(around: newName, in: newFolder, &state)
            return .success((changes, enact(actions, &state)))
        }
        switch result {
        case .failure(let errno): reply.fail(errno)
        case .success((let changes, let actions)):
            answer(reply, after: changes)
            perform(actions)
        }
    }

    /// What a new place means for a node and what lies below it.
    private func moved(
        _ number: Int64, cameBack: Bool, wasInFolder: Bool = false, _ state: inout DropState,
        _ actions: inout [UploadAction]
    ) -> [JournalChange] {
        guard let node = state.tree[number] else { return [] }
        if node.isFolder {
            var changes: [JournalChange] = rows(number, state).map { .put($0) }
            for child in state.tree.children(of: number).values {
                changes += moved(child, cameBack: cameBack, wasInFolder: true, &state, &actions)
            }
            return changes
        }
        guard let file = node.file else {
            // The explanation of a failure is done with once its file is tried again.
            if cameBack { state.tree.detach(number) }
            return []
        }
        let now = Instant.now()
        if cameBack {
            detachExplanation(of: file, &state)
            state.tree.withFile(number) { $0.explanation = nil }
            actions += state.queue.retry(
                UploadID(rawValue: number), isCandidate: state.tree.isCandidate(number), now: now)
        } else if wasInFolder, target.pathField == nil,
            state.queue.isCandidate(UploadID(rawValue: number)) == state.tree.isCandidate(number)
        {
            // Its name is the same, and so is what is sent of it.
            return []
        } else {
            // Another name, another key; also for the content before the present one, should that never be finished.
            state.tree.withFile(number) { file in
                file.kept?.record.version += 1
                file.kept?.record.attempts = 0
                file.kept?.record.lostAnswers = 0
            }
            actions += state.queue.renamed(
                UploadID(rawValue: number), isCandidate: state.tree.isCandidate(number), now: now)
        }
        return rows(number, state).map { .put($0) }
    }

    /// Takes a file out of the tree, and its upload out of the queue.
    private func remove(_ number: Int64, _ state: inout DropState) -> (
        changes: [JournalChange], actions: [UploadAction]
    ) {
        guard let node = state.tree[number] else { return ([], []) }
        state.tree.detach(number)
        guard let file = node.file else {
            _ = state.tree.removeIfUnused(number)
            guard case .receipt = node.content else { return ([], []) }
            state.receiptOrder.removeAll { $0 == number }
            return ([.removeReceipt(number)], [])
        }
        state.transfers[number]?.invalidate()
        detachExplanation(of: file, &state)
        let actions = state.queue.removed(UploadID(rawValue: number))
        _ = state.tree.removeIfUnused(number)
        return (file.rows.map { .remove($0) }, actions)
    }

    /// The folder's contents changed.
    func touch(_ folder: Int64, _ state: inout DropState) { state.tree[folder]?.modified = Self.wallClock() }

    /// Form fields hold text: a name that is none cannot be sent.
    private func nameError(_ name: FileName) -> Errno? {
        guard name.bytes.count <= FileName.maximumLength else { return .nameTooLong }
        guard name.isValid else { return .invalid }
        return String(validating: name.bytes, as: UTF8.self) == nil ? .illegalSequence : nil
    }

    /// A browser keeps an empty file under the final name while it writes beside it: that one must not go up.
    func updatePlaceholders(
        around name: FileName, in folder: Int64, _ state: inout DropState
    ) -> [UploadAction] {
        let suffixes = UploadNames.partialSuffixes.map { Array($0.utf8) }
        var affected = [name.bytes]
        for suffix in suffixes where name.bytes.count > suffix.count && name.bytes.hasSuffix(suffix) {
            affected.append(Array(name.bytes.dropLast(suffix.count)))
        }
        var actions: [UploadAction] = []
        for bytes in affected {
            guard let number = state.tree.child(FileName(bytes: bytes), of: folder) else { continue }
            let isEmpty = state.tree[number]?.file?.size == 0
            let isBlocked =
                isEmpty && suffixes.contains { state.tree.child(FileName(bytes: bytes + $0), of: folder) != nil }
            actions += state.queue.placeholderBlocked(UploadID(rawValue: number), isBlocked, now: .now())
        }
        return actions
    }

    /// Answers "done" once the changes outlast a crash. A signal does not end this wait: the names are changed already,
    /// and it is as long as the local disk needs.
    private func answer(_ reply: consuming Reply, after changes: [JournalChange]) {
        guard !changes.isEmpty else { return reply.done() }
        let parked = context.hold(reply)
        journal.commit(changes) { [self] error in
            guard let reply = context.take(parked) else { return }
            if let error { return reply.fail(error.errno) }
            reply.done()
        }
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool { self[(count - suffix.count)...].elementsEqual(suffix) }
}

/// The flags of renameat2(2) that a folder of files knows.
private enum RenameFlags {
    /// `RENAME_NOREPLACE`
    static let noReplace: UInt32 = 1
}
