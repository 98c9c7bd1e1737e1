package import Fuse
package import HTTP
package import Platform

/// The whole mount: sends each request to the part of the tree that it is for, and joins their roots to one.
package final class MountTree: Handler {
    private let context: MountContext
    private let files: RemoteFilesystem
    private let branches: [(name: FileName?, branch: any Branch)]
    /// The one branch that is the root of the mount.
    private let rootBranch: (any Branch)?

    /// - Parameters:
    ///   - sources: one without a name is the root itself; several have distinct names.
    ///   - mountedAt: seconds since 1970, shown as the date of directories that have none.
    /// - Throws: why a source cannot be made ready on this machine (its spool cannot be used).
    package init(
        sources: [Source], options: FilesystemOptions, client: HTTPClient, log: Log, mountedAt: Int64
    ) throws(StartError) {
        let context: MountContext
        do { context = try MountContext(options: options, client: client, log: log, mountedAt: mountedAt) } catch {
            throw StartError(
                words: "cannot start: \(error)", advice: "see the limits of processes and threads: ulimit -a")
        }
        self.context = context
        var remote: [RemoteSource] = []
        var drops: [DropFolder] = []
        var flights: [FlightTree] = []
        var branches: [(name: FileName?, branch: any Branch)] = []
        for source in sources {
            switch source.kind {
            case .files(let url): remote.append(RemoteSource(name: source.name, url: url))
            case .drop(let target):
                // The one lock on a spool may have to be waited for: the mount before this one still ends.
                let drop = try DropFolder(
                    name: source.name, target: target, nodes: BranchNodes(index: branches.count), context: context)
                drops.append(drop)
                branches.append((source.name, drop))
            case .flights(let flightsSource):
                let desk = try FlightDesk(
                    flightsSource, cache: options.cache, client: client,
                    patience: options.operationTimeout, log: log)
                let tree = FlightTree(desk, nodes: BranchNodes(index: branches.count), context: context)
                flights.append(tree)
                branches.append((source.name, tree))
            }
        }
        self.branches = branches
        rootBranch = branches.first { $0.name == nil }?.branch
        self.drops = drops
        files = RemoteFilesystem(sources: remote, drops: drops, flights: flights, context: context)
    }

    private let drops: [DropFolder]

    /// The most drop folders and flight services of one mount together.
    package static let maximumBranches = BranchNodes.maximumCount

    /// Whether anything can be written.
    package var isWritable: Bool { !drops.isEmpty }

    /// Asks every files source what it is. Blocks. Drop folders and flight services are not contacted.
    package func contactSources() throws(SourceError) { try files.contactSources() }

    /// The user says that what made targets refuse may be mended: paused drop folders try at once.
    package func resumeUploads() { for drop in drops { drop.resume() } }

    /// Ends transfers and background work. After the session, before the client.
    package func shutdown() {
        for (_, branch) in branches { branch.shutdown() }
        files.shutdown()
    }

    /// Whom a request on `node` is for.
    private func handler(_ node: NodeID) -> any Handler {
        if let index = BranchNodes.index(of: node), branches.indices.contains(index) { return branches[index].branch }
        return files
    }

    /// The kernel calls every root 1; a branch knows its own number.
    private func translated(_ node: NodeID) -> NodeID {
        guard node == .root, let rootBranch else { return node }
        return rootBranch.rootEntry.node
    }

    private func branch(named name: FileName) -> (any Branch)? { branches.first { $0.name == name }?.branch }

    // MARK: Names

    package func lookup(parent: NodeID, name: FileName, reply: consuming Reply) {
        if parent == .root {
            if name == StatusReport.directoryName { return files.lookup(parent: parent, name: name, reply: reply) }
            if let branch = branch(named: name) { return reply.entry(branch.rootEntry) }
        }
        let parent = translated(parent)
        handler(parent).lookup(parent: parent, name: name, reply: reply)
    }

    package func forget(node: NodeID, count: UInt64) { handler(node).forget(node: node, count: count) }

    package func create(
        parent: NodeID, name: FileName, permissions: UInt32, flags: Int32, reply: consuming Reply
    ) {
        let parent = translated(parent)
        handler(parent).create(parent: parent, name: name, permissions: permissions, flags: flags, reply: reply)
    }

    package func makeDirectory(parent: NodeID, name: FileName, permissions: UInt32, reply: consuming Reply) {
        let parent = translated(parent)
        handler(parent).makeDirectory(parent: parent, name: name, permissions: permissions, reply: reply)
    }

    package func makeSpecial(parent: NodeID, reply: consuming Reply) {
        let parent = translated(parent)
        handler(parent).makeSpecial(parent: parent, reply: reply)
    }

    package func removeFile(parent: NodeID, name: FileName, reply: consuming Reply) {
        let parent = translated(parent)
        handler(parent).removeFile(parent: parent, name: name, reply: reply)
    }

    package func removeDirectory(parent: NodeID, name: FileName, reply: consuming Reply) {
        if parent == .root, name == StatusReport.directoryName || branch(named: name) != nil {
            return reply.fail(.busy)
        }
        let parent = translated(parent)
        handler(parent).removeDirectory(parent: parent, name: name, reply: reply)
    }

    package func rename(
        parent: NodeID, name: FileName, newParent: NodeID, newName: FileName, flags: UInt32, reply: consuming Reply
    ) {
        // The kernel finds the status folder by its name, so it knows better than the branch what is replaced.
        for (folder, name) in [(parent, name), (newParent, newName)] where folder == .root {
            if name == StatusReport.directoryName { return reply.fail(.busy) }
        }
        let (from, to) = (translated(parent), translated(newParent))
        // Two sources are two places: the program then copies and removes.
        guard BranchNodes.index(of: from) == BranchNodes.index(of: to) else { return reply.fail(.crossDevice) }
        handler(from).rename(parent: from, name: name, newParent: to, newName: newName, flags: flags, reply: reply)
    }

    // MARK: Nodes

    package func attributes(node: NodeID, reply: consuming Reply) {
        let node = translated(node)
        handler(node).attributes(node: node, reply: reply)
    }

    package func change(
        node: NodeID, _ changes: AttributeChanges, file: (any OpenFile)?, reply: consuming Reply
    ) {
        let node = translated(node)
        handler(node).change(node: node, changes, file: file, reply: reply)
    }

    package func open(node: NodeID, flags: Int32, reply: consuming Reply) {
        let node = translated(node)
        handler(node).open(node: node, flags: flags, reply: reply)
    }

    package func openDirectory(node: NodeID, reply: consuming Reply) {
        guard node == .root, rootBranch == nil, !branches.isEmpty else {
            let node = translated(node)
            return handler(node).openDirectory(node: node, reply: reply)
        }
        // With several sources the root is fixed: it never waits for anyone.
        let named = branches.compactMap { entry in entry.name.map { ($0, entry.branch.rootEntry) } }
        reply.openedDirectory(JoinedDirectory(named, before: files.root.openFixed()), cache: false)
    }

    /// What can be written is what the disk below has room for.
    package func statistics(node: NodeID, reply: consuming Reply) {
        let node = translated(node)
        guard node == .root, let drop = drops.first else { return handler(node).statistics(node: node, reply: reply) }
        drop.statistics(node: node, reply: reply)
    }

    package func extendedAttribute(node: NodeID, name: String, room: Int, reply: consuming Reply) {
        let node = translated(node)
        handler(node).extendedAttribute(node: node, name: name, room: room, reply: reply)
    }

    package func extendedAttributeNames(node: NodeID, room: Int, reply: consuming Reply) {
        let node = translated(node)
        handler(node).extendedAttributeNames(node: node, room: room, reply: reply)
    }

    package func setExtendedAttribute(
        node: NodeID, name: String, value: [UInt8], flags: Int32, reply: consuming Reply
    ) {
        let node = translated(node)
        handler(node).setExtendedAttribute(node: node, name: name, value: value, flags: flags, reply: reply)
    }

    package func removeExtendedAttribute(node: NodeID, name: String, reply: consuming Reply) {
        let node = translated(node)
        handler(node).removeExtendedAttribute(node: node, name: name, reply: reply)
    }
}
