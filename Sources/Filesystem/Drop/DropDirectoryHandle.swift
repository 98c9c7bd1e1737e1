import Fuse
import Platform

/// An open folder of a drop folder: its names as they were when it was opened.
final class DropDirectoryHandle: OpenDirectory {
    private let folder: DropFolder
    private let number: Int64
    private let parent: Int64
    private let rows: [(name: FileName, number: Int64)]

    init(_ folder: DropFolder, number: Int64, parent: Int64, rows: [(name: FileName, number: Int64)]) {
        self.folder = folder
        self.number = number
        self.parent = parent
        self.rows = rows
    }

    /// Offsets: 0 is ".", 1 is "..", from 2 on the rows.
    func read(offset: Int64, listing: consuming DirectoryBuffer, reply: consuming Reply) {
        var listing = listing
        for position in Int(clamping: max(0, offset))..<max(rows.count + 2, Int(clamping: max(0, offset))) {
            let (name, number) = position == 0 ? (".", number) : position == 1 ? ("..", parent) : rows[position - 2]
            guard append(number, name, position: position, to: &listing) else { break }
        }
        reply.directory(listing)
    }

    func release() { folder.closed(number) }

    /// - Returns: false if there was no room.
    private func append(
        _ number: Int64, _ name: FileName, position: Int, to listing: inout DirectoryBuffer
    ) -> Bool {
        let (isPlus, next) = (listing.isPlus, Int64(position + 1))
        let isCounted = isPlus && position > 1
        let entry = folder.state.withLock { state -> Entry? in
            // Gone or renamed since the folder was opened: left out.
            guard let node = state.tree[number], position < 2 || node.parent == self.number && node.name == name else {
                return nil
            }
            return isCounted ? folder.countedEntry(number, &state) : folder.entry(number, node)
        }
        guard let entry else { return true }
        guard isPlus else {
            let attributes = entry.attributes
            return listing.append(name: name, inode: attributes.inode, kind: attributes.kind, offset: next)
        }
        let isAdded = listing.append(name: name, entry: entry, offset: next)
        if !isAdded, isCounted { folder.forget(node: entry.node, count: 1) }
        return isAdded
    }
}

extension DropFolder {
    fileprivate func closed(_ number: Int64) {
        context.counters.openDirectories.add(-1)
        state.withLock { state in
            state.tree[number]?.openHandles -= 1
            _ = state.tree.removeIfUnused(number)
        }
    }
}
