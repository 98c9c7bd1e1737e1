import Fuse
import Platform

/// The open root of a mount with several kinds of sources: the branches first, then the files sources.
final class JoinedDirectory: OpenDirectory {
    private let branches: [(name: FileName, entry: Entry)]
    private let rest: any OpenDirectory
    /// Offsets of branches; those of `rest` are small numbers.
    private static let base: Int64 = 1 << 61

    init(_ branches: [(name: FileName, entry: Entry)], before rest: any OpenDirectory) {
        self.branches = branches
        self.rest = rest
    }

    func read(offset: Int64, listing: consuming DirectoryBuffer, reply: consuming Reply) {
        guard offset == 0 || offset > Self.base else {
            return rest.read(offset: offset, listing: listing, reply: reply)
        }
        var listing = listing
        for index in Int(offset == 0 ? 0 : min(offset - Self.base, Int64(branches.count)))..<branches.count {
            let (name, entry) = branches[index]
            let next = Self.base + Int64(index) + 1
            let isAdded =
                listing.isPlus
                ? listing.append(name: name, entry: entry, offset: next)
                : listing.append(name: name, inode: entry.attributes.inode, kind: .directory, offset: next)
            guard isAdded else { return reply.directory(listing) }
        }
        rest.read(offset: 0, listing: listing, reply: reply)
    }

    func release() { rest.release() }
}
