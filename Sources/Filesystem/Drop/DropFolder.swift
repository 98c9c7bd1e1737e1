import Fuse
import Glibc
import HTTP
import Platform
import Store
import Uploads

/// A drop folder: what is put into it is kept in a spool, and uploaded from there.
///
/// Any thread. One lock guards names, files and queue; disk, network and replies come after it is released. Requests of
/// FUSE workers may create, write and rename spool files; the journal has a thread of its own, and its completions end
/// the requests that must outlast a crash.
final class DropFolder: Branch {
    let name: FileName?
    let target: DropTarget
    let nodes: BranchNodes
    let context: MountContext
    let spool: SpoolFolder
    let journal: UploadJournal
    let state: Lock<DropState>
    let mediaTypes: MediaTypes
    /// Makes receipts: reads a whole file for its checksum.
    let receipts: SerialQueue
    /// Transfers that have not ended.
    let running = Condition(0)

    init(
        name: FileName?, target: DropTarget, nodes: BranchNodes, context: MountContext
    ) throws(StartError) {
        self.name = name
        self.target = target
        self.nodes = nodes
        self.context = context
        let options = context.options
        let recovered: Recovered
        do throws(StoreError) {
            spool = try SpoolFolder(root: options.spool, target: target.url.text)
            journal = try UploadJournal(in: spool, log: context.log)
            recovered = try Self.recover(spool, journal, options, now: Self.wallClock())
        } catch {
            throw StartError(
                words: "the spool of \(target.url.masked) cannot be used: \(error)",
                advice: error.errno == .busy
                    ? "unmount the other mount of this target first, or give this one -o spool=FOLDER"
                    : "see -o spool=FOLDER")
        }
        do { receipts = try SerialQueue(name: "receipts") } catch {
            throw StartError(words: "cannot start: \(error)", advice: "see the limits of processes: ulimit -a")
        }
        mediaTypes = MediaTypes(text: Self.systemMediaTypes())
        state = Lock(recovered.state)
        if journal.wasDamaged {
            context.log.error("\(target.url.masked): the journal was damaged: files without a name are in failed/")
        }
        resumeAfterStart(recovered)
    }

    /// Debian's table of file name suffixes; without it every file is an octet stream.
    private static func systemMediaTypes() -> String { TextSource.read("/etc/mime.types", limit: 4 << 20) ?? "" }

    /// Nanoseconds since 1970.
    static func wallClock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Tries at once what a paused target or a failure holds back.
    func resume() { act { $0.queue.resume(now: .now()) } }

    func shutdown() {
        act { state in
            state.isEnding = true
            return state.queue.stop()
        }
        // Their ends may still be successes, which must not be forgotten: the next mount would send those files again.
        running.wait(until: { $0 == 0 }, before: .now() + Self.endPatience) { _ in }
        receipts.close()
        state.withLock { $0.isClosed = true }
        journal.close()
    }

    /// A cancelled transfer ends as soon as the network thread gets to it.
    private static let endPatience = Duration.seconds(5)

    // MARK: Names

    var rootEntry: Entry {
        entry(DropTree.root, state.withLock { $0.tree[DropTree.root] })
    }

    func entry(_ number: Int64, _ node: DropNode?) -> Entry {
        // Nothing is kept by the kernel: files leave the folder by themselves.
        Entry(
            node: nodes.node(number), attributes: attributes(number, node), attributeTimeout: .zero, entryTimeout: .zero
        )
    }

    func attributes(_ number: Int64, _ node: DropNode?) -> Attributes {
        let inode = nodes.node(number).rawValue
        var attributes = Attributes(
            kind: node?.isFolder == true ? .directory : .file, inode: inode,
            permissions: (node?.permissions ?? 0) & (DropTree.isFixed(number) ? ~context.options.dropMask : 0o777))
        switch node?.content {
        case .file(let file): attributes.size = file.size
        case .receipt(let text), .explanation(let text): attributes.size = Int64(text.count)
        case .folder, .gone, nil: break
        }
        let modified = node?.modified ?? 0
        attributes.modified = modified / 1_000_000_000
        attributes.modifiedNanoseconds = modified % 1_000_000_000
        attributes.user = context.options.user
        attributes.group = context.options.group
        return attributes
    }

    func lookup(parent: NodeID, name: FileName, reply: consuming Reply) {
        let found = state.withLock { state -> Entry? in
            guard let number = state.tree.child(name, of: nodes.number(parent)) else { return nil }
            return countedEntry(number, &state)
        }
        guard let found else { return reply.missing(entryTimeout: .zero) }
        reply.entry(found)
    }

    func countedEntry(_ number: Int64, _ state: inout DropState) -> Entry {
        state.tree[number]?.lookups += 1
        return entry(number, state.tree[number])
    }

    func forget(node: NodeID, count: UInt64) {
        state.withLock { state in
            let number = nodes.number(node)
            guard let lookups = state.tree[number]?.lookups else { return }
            state.tree[number]?.lookups = lookups - min(count, lookups)
            _ = state.tree.removeIfUnused(number)
        }
    }

    func attributes(node: NodeID, reply: consuming Reply) {
        let number = nodes.number(node)
        guard let found = state.withLock({ $0.tree[number] }), !found.isGone else { return reply.fail(.stale) }
        reply.attributes(attributes(number, found), timeout: .zero)
    }

    func openDirectory(node: NodeID, reply: consuming Reply) {
        let number = nodes.number(node)
        let handle = state.withLock { state -> DropDirectoryHandle? in
            guard let node = state.tree[number], node.isFolder else { return nil }
            state.tree[number]?.openHandles += 1
            let children = state.tree.children(of: number)
            let rows = children.sorted { $0.value < $1.value }.map { (name: $0.key, number: $0.value) }
            return DropDirectoryHandle(self, number: number, parent: node.parent ?? number, rows: rows)
        }
        guard let handle else { return reply.fail(.notDirectory) }
        context.counters.openDirectories.add(1)
        reply.openedDirectory(handle, cache: false)
    }

    /// The room on the spool's disk, less what is kept for the journal.
    func statistics(node: NodeID, reply: consuming Reply) {
        var result = FilesystemStatistics()
        if let disk = try? spool.statistics(), disk.blockSize > 0 {
            result.blockSize = UInt64(disk.blockSize)
            result.blocks = disk.blocks
            let reserve = UInt64(SpoolFolder.journalReserve) / result.blockSize
            result.freeBlocks = disk.availableBlocks - min(reserve, disk.availableBlocks)
            result.files = disk.files
            result.freeFiles = disk.freeFiles
        }
        reply.statistics(result)
    }

    // MARK: Extended attributes

    func extendedAttribute(node: NodeID, name: String, room: Int, reply: consuming Reply) {
        guard name.hasPrefix("user.") else { return reply.fail(.notSupported) }
        guard let value = extendedAttributes(nodes.number(node)).first(where: { $0.name == name })?.value else {
            return reply.fail(.noData)
        }
        reply.extendedAttribute(Array(value.utf8), room: room)
    }

    func extendedAttributeNames(node: NodeID, room: Int, reply: consuming Reply) {
        let names = extendedAttributes(nodes.number(node)).reduce(into: [UInt8]()) { $0 += Array($1.name.utf8) + [0] }
        reply.extendedAttribute(names, room: room)
    }

    /// Programs that copy attributes along go on without; those that need them kept must not be told that they are.
    func setExtendedAttribute(node: NodeID, name: String, value: [UInt8], flags: Int32, reply: consuming Reply) {
        reply.fail(.notSupported)
    }

    func removeExtendedAttribute(node: NodeID, name: String, reply: consuming Reply) { reply.fail(.notSupported) }
}
