import Fuse
import Platform

/// An open directory whose entries were all made when it was opened, and are counted by nobody.
final class EntryList: OpenDirectory {
    private let entries: [(name: FileName, entry: Entry)]
    private let closed: @Sendable () -> Void

    /// - Parameter own: stands for "." and, as the kernel knows better, for "..".
    init(own: Entry, _ entries: [(name: FileName, entry: Entry)], closed: @escaping @Sendable () -> Void) {
        self.entries = [(".", own), ("..", own)] + entries
        self.closed = closed
    }

    func read(offset: Int64, listing: consuming DirectoryBuffer, reply: consuming Reply) {
        var listing = listing
        for (position, row) in entries.enumerated().dropFirst(Int(clamping: max(0, offset))) {
            let next = Int64(position + 1)
            let attributes = row.entry.attributes
            let isAdded =
                listing.isPlus
                ? listing.append(name: row.name, entry: row.entry, offset: next)
                : listing.append(name: row.name, inode: attributes.inode, kind: attributes.kind, offset: next)
            guard isAdded else { break }
        }
        reply.directory(listing)
    }

    func release() { closed() }
}
