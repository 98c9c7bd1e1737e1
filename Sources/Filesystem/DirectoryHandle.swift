import Fuse
import Listings
import Platform

/// An open directory: a snapshot of the listing, so that one `ls` sees one state however long it takes.
final class DirectoryHandle: OpenDirectory {
    private let directory: Directory
    private let listing: Listing
    private let generation: Int

    init(_ directory: Directory, listing: Listing, generation: Int) {
        self.directory = directory
        self.listing = listing
        self.generation = generation
    }

    /// Offsets: 0 is ".", 1 is "..", from 2 on the rows. Each entry carries the offset of the next.
    func read(offset: Int64, listing buffer: consuming DirectoryBuffer, reply: consuming Reply) {
        var buffer = buffer
        var position = Int(clamping: max(0, offset))
        let end = listing.count + 2
        while position < end, append(position, to: &buffer) { position += 1 }
        reply.directory(buffer)
    }

    func release() {
        directory.state.withLock { $0.openHandles -= 1 }
        directory.context.counters.openDirectories.add(-1)
        directory.removeIfUnused()
    }

    private func append(_ position: Int, to buffer: inout DirectoryBuffer) -> Bool {
        let next = Int64(position + 1)
        switch position {
        case 0: return append(".", directory.attributes, next, to: &buffer)
        case 1: return append("..", (directory.parent ?? directory).attributes, next, to: &buffer)
        default:
            let name = listing.name(at: position - 2)
            guard buffer.isPlus, let entry = directory.countedEntry(at: position - 2, of: generation, name) else {
                return append(name, directory.rowAttributes(listing[position - 2]), next, to: &buffer)
            }
            if buffer.append(name: name, entry: entry, offset: next) { return true }
            directory.uncount(entry)
            return false
        }
    }

    /// An entry of which only type and inode are told; the kernel asks by LOOKUP for more.
    private func append(
        _ name: FileName, _ attributes: Attributes, _ offset: Int64, to buffer: inout DirectoryBuffer
    ) -> Bool {
        guard buffer.isPlus else {
            return buffer.append(name: name, inode: attributes.inode, kind: attributes.kind, offset: offset)
        }
        let entry = Entry(node: .none, attributes: attributes, attributeTimeout: .zero, entryTimeout: .zero)
        return buffer.append(name: name, entry: entry, offset: offset)
    }
}

extension Directory {
    func open(_ reply: consuming Reply) {
        let now = Instant.now()
        let (handle, isDue) = state.withLock { state in
            (state.hasListing && state.isUsable(now: now) ? makeHandle(&state) : nil, state.isDue(now: now))
        }
        if let handle {
            reply.openedDirectory(handle, cache: false)
            if isDue { refresh { _ in } }
            return walked()
        }
        let parked = context.park(reply)
        refresh { [self] failure in
            guard let reply = context.take(parked) else { return }
            if let failure { return reply.fail(context.errnos.errno(for: failure)) }
            reply.openedDirectory(state.withLock { makeHandle(&$0) }, cache: false)
            walked()
        }
    }

    /// An open directory of which the listing is fixed.
    func openFixed() -> any OpenDirectory { state.withLock { makeHandle(&$0) } }

    private func makeHandle(_ state: inout State) -> DirectoryHandle {
        state.openHandles += 1
        state.isAhead = false
        context.counters.openDirectories.add(1)
        return DirectoryHandle(self, listing: state.table.listing, generation: state.table.generation)
    }

    /// The answer that names row `index` of a snapshot, counted as a lookup; nil if its size or kind is not known exactly
    /// or the listing has changed since (the kernel then asks by name).
    func countedEntry(at index: Int, of generation: Int, _ name: FileName) -> Entry? {
        state.withLock { state in
            guard generation == state.table.generation else { return nil }
            let row = state.table.listing[index]
            let slot = state.table.existingSlot(at: index)
            if row.kind == .file, slot == nil || state.table.isPlainRow(slot) {
                guard case .exact = row.size else { return nil }
            } else if row.kind != .directory {
                guard let slot, case .file(let file)? = state.table[slot]?.target, file.attributes.isExact else {
                    return nil
                }
            }
            return entry(slot: state.table.slot(at: index), in: &state, now: .now())
        }
    }

    /// Takes back an answer that was not given.
    func uncount(_ entry: Entry) {
        if entry.node.slot != 0 {
            forget(slot: entry.node.slot, count: 1)
        } else {
            context.directories[entry.node.directoryNumber]?.forget(count: 1)
        }
    }

    /// Type and inode of a row for a plain READDIR.
    func rowAttributes(_ row: ListingEntry) -> Attributes {
        switch row.kind {
        case .directory: context.attributes(ofDirectory: directoryInode(row), modified: row.modified)
        case .file: context.attributes(ofFile: fileInode(row), size: nil, modified: row.modified)
        case .unknown: context.attributes(ofUndecided: fileInode(row))
        }
    }

    private func directoryInode(_ row: ListingEntry) -> UInt64 {
        state.withLock { childOrigin(row, in: $0) }.map { Self.inode(of: $0) } ?? fileInode(row)
    }
}
