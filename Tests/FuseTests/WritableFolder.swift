import Fuse
import Glibc
import Platform

/// A root directory that takes files and folders, for tests. Every request that changes something is noted as a line of
/// text, numbers of permissions in octal. A CREATE of "late" is parked and waits for the test; so is every FLUSH of a
/// file with bytes, if wanted.
final class WritableFolder: Handler {
    struct Record {
        var calls: [String] = []
        var nodes: [UInt64: WritableNode] = [:]
        var names: [FileName: UInt64] = [:]
        var parked: [ParkedReply] = []
        /// GETXATTR requests.
        var attributeReads = 0
    }

    let record = Condition(Record())
    private let parksFlush: Bool

    init(parksFlush: Bool = false) { self.parksFlush = parksFlush }

    var calls: [String] { record.update { $0.calls } }

    /// Waits until a line with this beginning is noted, and returns it.
    func call(_ start: String) -> String? {
        record.wait(
            until: { $0.calls.contains { $0.hasPrefix(start) } }, before: .now() + .seconds(20),
            { $0.calls.first { $0.hasPrefix(start) } }) ?? nil
    }

    func parkedReply() -> ParkedReply? {
        record.wait(until: { !$0.parked.isEmpty }, before: .now() + .seconds(20)) { $0.parked.removeFirst() }
    }

    /// Makes a file or folder as a program would, but without a request.
    /// - Parameter descriptor: where the bytes lie, closed with the node; nil: in a temporary file.
    @discardableResult
    func add(_ name: FileName, permissions: UInt32 = 0o644, isFolder: Bool = false, descriptor: Int32? = nil)
        -> WritableNode
    {
        record.update { record in
            let node = WritableNode(
                number: UInt64(record.nodes.count + 2), permissions: permissions, isFolder: isFolder,
                descriptor: descriptor, folder: self)
            record.nodes[node.number] = node
            record.names[name] = node.number
            return node
        }
    }

    func note(_ text: String) { record.update { $0.calls.append(text) } }

    private func node(_ name: FileName) -> WritableNode? {
        record.update { record in record.names[name].flatMap { record.nodes[$0] } }
    }

    private func attributes(_ node: NodeID) -> Attributes? {
        if node == .root { return Attributes(kind: .directory, inode: 1, permissions: 0o755) }
        return record.update { $0.nodes[node.rawValue] }?.attributes
    }

    func lookup(parent: NodeID, name: FileName, reply: consuming Reply) {
        guard let node = node(name) else { return reply.fail(.noEntry) }
        reply.entry(node.entry)
    }

    func forget(node: NodeID, count: UInt64) { note("forget \(node.rawValue) \(count)") }

    func attributes(node: NodeID, reply: consuming Reply) {
        guard let attributes = attributes(node) else { return reply.fail(.stale) }
        reply.attributes(attributes, timeout: .zero)
    }

    func open(node: NodeID, flags: Int32, reply: consuming Reply) {
        guard let file = record.update({ $0.nodes[node.rawValue] }) else { return reply.fail(.stale) }
        note("open \(node.rawValue) \(Self.known(flags))")
        if flags & O_TRUNC != 0 { file.size = 0 }
        reply.opened(file, directIO: false, keepCache: false, noFlush: flags & O_ACCMODE == O_RDONLY)
    }

    func openDirectory(node: NodeID, reply: consuming Reply) { reply.openedDirectory(WritableListing(), cache: false) }
    func statistics(node: NodeID, reply: consuming Reply) { reply.statistics(FilesystemStatistics()) }

    func extendedAttribute(node: NodeID, name: String, room: Int, reply: consuming Reply) {
        record.update { $0.attributeReads += 1 }
        reply.fail(.noData)
    }

    func extendedAttributeNames(node: NodeID, room: Int, reply: consuming Reply) {
        reply.extendedAttribute([], room: room)
    }

    func create(parent: NodeID, name: FileName, permissions: UInt32, flags: Int32, reply: consuming Reply) {
        note("create \(parent.rawValue) \(name) \(String(permissions, radix: 8)) \(Self.known(flags))")
        if name == "late" {
            let parked = ParkedReply.park(reply) { _ in }
            return record.update { $0.parked.append(parked) }
        }
        let file = add(name, permissions: permissions)
        reply.created(file.entry, file, directIO: false, keepCache: true)
    }

    func makeDirectory(parent: NodeID, name: FileName, permissions: UInt32, reply: consuming Reply) {
        note("makeDirectory \(parent.rawValue) \(name) \(String(permissions, radix: 8))")
        reply.entry(add(name, permissions: permissions, isFolder: true).entry)
    }

    func removeFile(parent: NodeID, name: FileName, reply: consuming Reply) {
        note("removeFile \(parent.rawValue) \(name)")
        remove(name, reply)
    }

    func removeDirectory(parent: NodeID, name: FileName, reply: consuming Reply) {
        note("removeDirectory \(parent.rawValue) \(name)")
        remove(name, reply)
    }

    private func remove(_ name: FileName, _ reply: consuming Reply) {
        if record.update({ $0.names.removeValue(forKey: name) }) == nil { reply.fail(.noEntry) } else { reply.done() }
    }

    func rename(
        parent: NodeID, name: FileName, newParent: NodeID, newName: FileName, flags: UInt32, reply: consuming Reply
    ) {
        note("rename \(parent.rawValue) \(name) \(newParent.rawValue) \(newName) \(flags)")
        let failure = record.update { record -> Errno? in
            guard flags <= 1 else { return .invalid }
            guard let number = record.names[name] else { return .noEntry }
            if flags == 1, record.names[newName] != nil { return .exists }
            record.names[name] = nil
            record.names[newName] = number
            return nil
        }
        if let failure { reply.fail(failure) } else { reply.done() }
    }

    func makeSpecial(parent: NodeID, reply: consuming Reply) {
        note("makeSpecial \(parent.rawValue)")
        reply.fail(.notPermitted)
    }

    func change(node: NodeID, _ changes: AttributeChanges, file: (any OpenFile)?, reply: consuming Reply) {
        var text = "change \(node.rawValue)"
        if let permissions = changes.permissions { text += " permissions \(String(permissions, radix: 8))" }
        if let user = changes.user { text += " user \(user)" }
        if let group = changes.group { text += " group \(group)" }
        if let size = changes.size { text += " size \(size)" }
        if let modified = changes.modified { text += " modified \(modified)" }
        if file != nil { text += " open" }
        note(text)
        guard let target = record.update({ $0.nodes[node.rawValue] }) else { return reply.fail(.stale) }
        target.change(changes)
        reply.attributes(target.attributes, timeout: .milliseconds(2500))
    }

    func setExtendedAttribute(node: NodeID, name: String, value: [UInt8], flags: Int32, reply: consuming Reply) {
        note("setExtendedAttribute \(node.rawValue) \(name) \(value) \(flags)")
        reply.done()
    }

    func removeExtendedAttribute(node: NodeID, name: String, reply: consuming Reply) {
        note("removeExtendedAttribute \(node.rawValue) \(name)")
        reply.done()
    }

    func flush(_ node: WritableNode, reply: consuming Reply) {
        guard parksFlush, node.size > 0 else { return reply.done() }
        let parked = ParkedReply.park(reply) { [weak self] _ in self?.note("interrupt \(node.number)") }
        record.update { $0.parked.append(parked) }
    }

    /// The flags that matter to a handler; the kernel adds others.
    private static func known(_ flags: Int32) -> String {
        var words = [["read", "write", "both"][Int(flags & O_ACCMODE)]]
        if flags & O_EXCL != 0 { words.append("exclusive") }
        if flags & O_TRUNC != 0 { words.append("truncate") }
        if flags & O_APPEND != 0 { words.append("append") }
        return words.joined(separator: " ")
    }
}

/// An empty listing.
private final class WritableListing: OpenDirectory {
    func read(offset: Int64, listing: consuming DirectoryBuffer, reply: consuming Reply) { reply.empty() }
    func release() {}
}
