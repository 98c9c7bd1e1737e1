import Platform
import Store
import Uploads

/// What an earlier mount, or its crash, left in spool and journal.
extension DropFolder {
    /// What was found at a start.
    struct Recovered {
        var state: DropState
        /// Of the files with a row.
        var records: [UploadRecord]
        /// Spooled files without a row.
        var strays: [Int64]
        /// Rows without a spooled file: versions that were being changed.
        var staleRows: [Int64]
    }

    /// The tree as the journal has it. Files without a row and rows without a file are what a crash cut short.
    static func recover(
        _ spool: SpoolFolder, _ journal: UploadJournal, _ options: FilesystemOptions, now: Int64
    ) throws(StoreError) -> Recovered {
        var (rows, receipts) = try journal.load()
        rows.removeAll { !DropTree.numbers.contains($0.id) }
        let numbers = Set(try spool.numbers()).filter(DropTree.numbers.contains)
        var tree = DropTree(now: now)
        let folders = rows.filter(\.isFolder)
        let files = rows.filter { !$0.isFolder && numbers.contains($0.id) }
        insert(folders, into: &tree)
        var records: [UploadRecord] = []
        var keys: Set<String> = []
        // Whole files first: they keep their names if a half one has the same.
        for row in files.sorted(by: { ($0.state != 0 ? 0 : 1, $0.id) < ($1.state != 0 ? 0 : 1, $1.id) }) {
            var stage = UploadRecord.Stage(rawValue: row.state) ?? .incomplete
            var file = DropFile(number: row.id, spool: nil)
            file.size = (try? spool.open(row.id).size()) ?? row.size
            if stage == .complete, file.size != row.size { stage = .incomplete }
            let record = UploadRecord(
                id: UploadID(rawValue: row.id), stage: stage, version: row.version,
                // Two versions of one file are two files from here on.
                keyBase: keys.insert(row.key).inserted ? row.key : makeKey(), attempts: row.attempts,
                lostAnswers: row.lostAnswers, status: row.status, words: row.words)
            file.isSafe = stage != .incomplete
            file.flushed = file.isSafe ? record : nil
            let parent = tree[row.parent]?.isFolder == true ? row.parent : DropTree.root
            let name = tree.freeName(validName(row.name, row.id), in: parent)
            tree.insert(
                row.id,
                DropNode(
                    parent: parent, name: name, content: .file(file), permissions: row.permissions,
                    modified: row.modified), in: parent)
            records.append(record)
        }
        let known = Set(rows.map(\.id))
        let last = max(rows.map(\.id).max() ?? 0, receipts.map(\.id).max() ?? 0, numbers.max() ?? 0)
        var state = DropState(
            tree: tree, queue: UploadQueue(UploadQueueOptions(options)),
            nextNumber: max(last + 1, DropTree.firstNumber))
        for receipt in receipts { insert(receipt, into: &state, now: now) }
        return Recovered(
            state: state, records: records, strays: numbers.subtracting(known).sorted(),
            staleRows: rows.filter { !$0.isFolder && !numbers.contains($0.id) }.map(\.id))
    }

    /// A name as the kernel takes it, whatever the journal says.
    private static func validName(_ name: String, _ number: Int64) -> FileName {
        let name = FileName(name)
        return name.isValid ? name : FileName("recovered-\(number)")
    }

    private static func insert(_ folders: [JournalRow], into tree: inout DropTree) {
        var byParent = Dictionary(grouping: folders, by: \.parent)
        var parents = [DropTree.root, DropTree.failed]
        // A parent that is none, or a circle, as only a journal has that something else wrote: at the top.
        while let parent = parents.popLast() ?? byParent.keys.min() {
            let folder = tree[parent]?.isFolder == true ? parent : DropTree.root
            for row in byParent.removeValue(forKey: parent) ?? [] {
                tree.insert(
                    row.id,
                    DropNode(
                        parent: folder, name: tree.freeName(validName(row.name, row.id), in: folder), content: .folder,
                        permissions: row.permissions, modified: row.modified), in: folder)
                parents.append(row.id)
            }
        }
    }

    private static func insert(_ receipt: ReceiptRow, into state: inout DropState, now: Int64) {
        var folder = DropTree.sent
        for part in receipt.folder.split(separator: "/") {
            let name = FileName(String(part))
            if let existing = state.tree.child(name, of: folder), state.tree[existing]?.isFolder == true {
                folder = existing
                continue
            }
            let number = state.takeNumber()
            state.tree.insert(
                number,
                DropNode(
                    parent: folder, name: state.tree.freeName(name, in: folder), content: .folder, permissions: 0o777,
                    modified: now), in: folder)
            folder = number
        }
        state.tree.insert(
            receipt.id,
            DropNode(
                parent: folder, name: state.tree.freeName(validName(receipt.name, receipt.id), in: folder),
                content: .receipt(Array(receipt.text.utf8)), permissions: 0o600, modified: receipt.time * 1_000_000),
            in: folder)
        state.receiptOrder.append(receipt.id)
    }

    /// Gives the queue what the journal had, and explains what failed in earlier mounts.
    func resumeAfterStart(_ recovered: Recovered) {
        note(recovered.staleRows.map { .remove($0) })
        var actions: [UploadAction] = []
        state.withLock { state in
            for record in recovered.records {
                let number = record.id.rawValue
                guard let node = state.tree[number] else { continue }
                if record.stage == .failed {
                    let reason = FailureReason(record)
                    explain(number, reason, node.modified, &state)
                }
                let isCandidate = state.tree.isCandidate(number)
                actions += enact(state.queue.restore(record, isCandidate: isCandidate, now: .now()), &state)
            }
        }
        for number in recovered.strays { actions += recoverStray(number) }
        state.withLock { state in
            for record in recovered.records {
                guard let node = state.tree[record.id.rawValue], node.file?.size == 0, let folder = node.parent else {
                    continue
                }
                actions += updatePlaceholders(around: node.name, in: folder, &state)
            }
        }
        perform(actions)
    }

    /// Bytes whose name was lost, because a crash came before the journal had it, or because the journal was damaged:
    /// kept in `failed/`, for they may be all there is.
    private func recoverStray(_ number: Int64) -> [UploadAction] {
        guard let file = try? spool.open(number), let size = try? file.size(), size > 0 else {
            spool.remove(number)
            return []
        }
        return state.withLock { state in
            var content = DropFile(number: number, spool: nil)
            content.size = size
            // Its last folder may be gone, or never have been in the journal.
            var folder = DropTree.root
            var path = (file.note ?? "").split(separator: "/").map { FileName(String($0)) }.filter(\.isValid)
            let last = path.popLast() ?? FileName("recovered-\(number)")
            while let name = path.first, let child = state.tree.child(name, of: folder),
                state.tree[child]?.isFolder == true
            {
                folder = child
                path.removeFirst()
            }
            let name = state.tree.freeName(last, in: folder)
            state.tree.insert(
                number,
                DropNode(
                    parent: folder, name: name, content: .file(content), permissions: 0o600,
                    modified: Self.wallClock()), in: folder)
            let record = UploadRecord(
                id: UploadID(rawValue: number), stage: .incomplete, version: 1, keyBase: Self.makeKey(), attempts: 0,
                lostAnswers: 0, status: 0, words: "")
            let isCandidate = state.tree.isCandidate(number)
            return enact(state.queue.restore(record, isCandidate: isCandidate, now: .now()), &state)
        }
    }
}

extension FailureReason {
    /// What the journal still knows of it.
    fileprivate init(_ record: UploadRecord) {
        if record.status == 0, record.lostAnswers > 0 {
            self = .resultUnknown(tries: record.lostAnswers, words: record.words)
        } else if record.status == 0, record.words.isEmpty {
            self = .incomplete
        } else {
            self = .refused(status: record.status, words: record.words)
        }
    }
}

extension UploadQueueOptions {
    fileprivate init(_ options: FilesystemOptions) {
        self.init()
        settle = options.settle
        firstPause = options.retry
        maximumPause = max(maximumPause, options.retry)
        parallel = options.uploads
    }
}
