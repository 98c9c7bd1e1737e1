import Platform
import Store
import Uploads

/// What the journal keeps of nodes.
extension DropFolder {
    /// The raw state of a folder's row.
    private static let folderState = 100

    func row(_ number: Int64, _ record: UploadRecord, _ state: DropState) -> JournalRow? {
        guard let node = state.tree[number], let file = node.file else { return nil }
        return row(node, file.number, file.size, record)
    }

    private func row(_ node: DropNode, _ number: Int64, _ size: Int64, _ record: UploadRecord) -> JournalRow? {
        guard let parent = node.parent else { return nil }
        return JournalRow(
            id: number, parent: parent, name: node.name.description, state: record.stage.rawValue, size: size,
            modified: node.modified, permissions: node.permissions, version: record.version, key: record.keyBase,
            attempts: record.attempts, lostAnswers: record.lostAnswers, status: record.status, words: record.words)
    }

    /// All rows of a file, or the one of a folder.
    func rows(_ number: Int64, _ state: DropState) -> [JournalRow] {
        guard let node = state.tree[number], let parent = node.parent else { return [] }
        guard let file = node.file else {
            guard node.isFolder else { return [] }
            return [
                JournalRow(
                    id: number, parent: parent, name: node.name.description, isFolder: true, state: Self.folderState,
                    modified: node.modified, permissions: node.permissions)
            ]
        }
        var rows: [JournalRow] = []
        if let kept = file.kept, let row = row(node, kept.number, kept.size, kept.record) { rows.append(row) }
        if let record = state.queue.record(of: UploadID(rawValue: number)), let row = row(number, record, state) {
            rows.append(row)
        }
        return rows
    }
}
