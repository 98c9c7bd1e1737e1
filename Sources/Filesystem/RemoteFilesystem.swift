import Fuse
import HTTP
import Listings
import Platform

/// What servers hold: files sources, their directories and files; and the reports of the mount under `.skyfs`.
final class RemoteFilesystem: Handler {
    let context: MountContext
    let root: Directory
    private let reports: StatusReport
    let sources: [RemoteSource]

    /// - Parameters:
    ///   - sources: one without a name is the root itself; several have distinct names.
    ///   - drops: for the report only, like the flights.
    init(sources: [RemoteSource], drops: [DropFolder], flights: [FlightTree], context: MountContext) {
        self.sources = sources
        self.context = context
        if let only = sources.first, sources.count == 1, only.name == nil {
            root = Directory(
                context: context, node: .root, origin: only.origin, inode: Directory.inode(of: only.origin),
                modified: nil, parent: nil)
        } else {
            root = Directory(
                context: context, node: .root, origin: .fixed, inode: Self.rootInode, modified: nil, parent: nil,
                listing: Listing(entries: []))
        }
        reports = StatusReport(context: context, root: root, drops: drops, flights: flights)
    }

    private static let rootInode: UInt64 = 1

    func shutdown() {
        context.files.shutDown()
        context.work.close()
        context.replies.close()
    }

    private func directory(_ node: NodeID) -> Directory? {
        node == .root ? root : context.directories[node.directoryNumber]
    }

    func lookup(parent: NodeID, name: FileName, reply: consuming Reply) {
        if parent == .root, name == StatusReport.directoryName { return reply.entry(reports.directoryEntry) }
        if parent == StatusReport.directoryNode { return reports.lookup(name, reply) }
        guard let directory = directory(parent) else { return reply.fail(.stale) }
        directory.lookup(name, reply: reply)
    }

    func forget(node: NodeID, count: UInt64) {
        guard node != .root, let directory = context.directories[node.directoryNumber] else { return }
        if node.slot == 0 { directory.forget(count: count) } else { directory.forget(slot: node.slot, count: count) }
    }

    func attributes(node: NodeID, reply: consuming Reply) {
        if let attributes = reports.attributes(node) { return reply.attributes(attributes, timeout: .zero) }
        guard let directory = directory(node) else { return reply.fail(.stale) }
        if node == .root || node.slot == 0 {
            return reply.attributes(directory.attributes, timeout: context.options.ttl)
        }
        directory.attributes(slot: node.slot, reply: reply)
    }

    func open(node: NodeID, flags: Int32, reply: consuming Reply) {
        guard flags & OpenFlags.accessMode == OpenFlags.readOnly else { return reply.fail(.readOnly) }
        if let report = reports.open(node) { return reply.opened(report, directIO: true, keepCache: false) }
        guard node != .root, node.slot != 0 else { return reply.fail(.isDirectory) }
        guard let file = context.directories[node.directoryNumber]?.file(slot: node.slot) else {
            return reply.fail(.stale)
        }
        file.open(reply)
    }

    func openDirectory(node: NodeID, reply: consuming Reply) {
        if node == StatusReport.directoryNode { return reports.openDirectory(reply) }
        guard let directory = directory(node) else { return reply.fail(.stale) }
        directory.open(reply)
    }

    /// The size of a remote server is unknown: zeros, which `df` leaves out. Never a request.
    func statistics(node: NodeID, reply: consuming Reply) { reply.statistics(FilesystemStatistics()) }

    func extendedAttribute(node: NodeID, name: String, room: Int, reply: consuming Reply) {
        // "Not supported" instead of "no data": ls asks every file for its label and access list until it hears that once.
        guard name.hasPrefix("user.") else { return reply.fail(.notSupported) }
        guard let value = extendedAttributes(node).first(where: { $0.name == name })?.value else {
            return reply.fail(.noData)
        }
        reply.extendedAttribute(Array(value.utf8), room: room)
    }

    func extendedAttributeNames(node: NodeID, room: Int, reply: consuming Reply) {
        var names: [UInt8] = []
        for attribute in extendedAttributes(node) { names += Array(attribute.name.utf8) + [0] }
        reply.extendedAttribute(names, room: room)
    }

    private func extendedAttributes(_ node: NodeID) -> [(name: String, value: String)] {
        guard let directory = directory(node) else { return [] }
        if node == .root || node.slot == 0 { return directory.extendedAttributes }
        return directory.extendedAttributes(slot: node.slot)
    }
}

/// The flags of open(2) that matter to a read-only tree.
private enum OpenFlags {
    /// `O_ACCMODE`
    static let accessMode: Int32 = 3
    /// `O_RDONLY`
    static let readOnly: Int32 = 0
}
