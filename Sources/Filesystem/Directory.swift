import Fuse
import HTTP
import Listings
import Platform

/// One directory of the tree: what it lists, how fresh that is, and the nodes made from it. Any thread.
///
/// Lock order: a directory's lock before its child directory's, both before `DirectoryTable`'s; a directory's before a
/// file's, never the other way round. Replies are given and requests started with no lock held.
final class Directory: Sendable {
    enum Origin: Sendable {
        /// Listed by a server; asked again when the listing is no longer fresh.
        case remote(HTTPURL, ListingStyle)
        /// A directory that the names in a manifest make, by its names from the manifest's root down.
        case manifest(ManifestFile, [FileName])
        /// Set up by this program: the root over several sources or over a single file.
        case fixed
    }

    struct State: Sendable {
        var table: ChildTable
        /// Links are relative to where the listing came from after redirects.
        var base: HTTPURL?
        var hasListing = false
        var freshUntil = Instant(nanoseconds: 0)
        /// Until when the listing is shown while a fresh one is asked for.
        var usableUntil = Instant(nanoseconds: 0)
        /// How the directory is asked for, as its last answer showed.
        var style = ListingStyle.page
        var condition: ListingCondition?
        /// Of the last listing, so that each number of skipped names is logged once.
        var loggedSkips = 0
        /// What the entries of a fixed directory are.
        var fixedOrigins: [FileName: Origin] = [:]
        var walk = WalkOrder()
        /// Listed ahead of somebody who has not come yet.
        var isAhead = false
        var isRefreshing = false
        var refreshWaiters: [@Sendable (FileFailure?) -> Void] = []
        /// Why the last refresh failed; nil after a good one.
        var failure: FileFailure?
        /// Answers that named this directory and were not yet forgotten.
        var lookups: UInt64 = 0
        var openHandles = 0
        var probes = ProbeOrder()
        /// Why there is no listing though the directory is there: its names are asked for one by one.
        var unlistable: FileFailure?
        /// Names that were asked for one by one and are not there, until when.
        var missingNames: [FileName: Instant] = [:]
    }

    /// The node to answer with, or what has to be found out first.
    enum LookupAnswer: Sendable {
        case stale
        case missing(entryTimeout: Duration)
        case entry(Entry)
        /// The listing does not tell whether the entry is a file or a directory.
        case undecided(slot: UInt32, RemoteFile)
        /// The directory shows no listing: the server has to be asked for this name.
        case unlisted
        case failed(Errno)
    }

    let context: MountContext
    let number: UInt32
    let node: NodeID
    let origin: Origin
    let inode: UInt64
    let modified: Int64?
    let parent: Directory?
    /// In the parent's listing; nil for a root.
    let name: FileName?
    let state: Lock<State>

    init(
        context: MountContext, node: NodeID? = nil, origin: Origin, inode: UInt64, modified: Int64?, parent: Directory?,
        name: FileName? = nil, listing: Listing? = nil
    ) {
        self.context = context
        number = context.directories.nextNumber()
        self.node = node ?? NodeID(directory: number, slot: 0)
        self.origin = origin
        self.inode = inode
        self.modified = modified
        self.parent = parent
        self.name = name
        var state = State(table: ChildTable(listing: listing ?? Listing(entries: [])))
        if case .remote(let url, let style) = origin { (state.base, state.style) = (url, style) }
        if listing != nil {
            state.hasListing = true
            (state.freshUntil, state.usableUntil) = (.distantFuture, .distantFuture)
        }
        self.state = Lock(state)
        context.directories.insert(self)
    }

    var attributes: Attributes { context.attributes(ofDirectory: inode, modified: modified) }

    var url: HTTPURL? {
        if case .remote(let url, _) = origin { url } else { nil }
    }

    // MARK: Lookup

    func lookup(_ name: FileName, reply: consuming Reply) {
        let now = Instant.now()
        let (answer, isDue, ahead) = state.withLock { state in
            (self.answer(for: name, in: &state, now: now), state.isDue(now: now), filesAhead(of: name, in: &state))
        }
        defer { for file in ahead { file.probe { _ in } } }
        if case .stale = answer {
            let parked = context.park(reply)
            refresh { [self] failure in
                if let failure, !failure.isRefusedListing { return fail(parked, failure) }
                finish(state.withLock { self.answer(for: name, in: &$0, now: nil) }, name, parked)
            }
        } else {
            give(answer, name, reply)
            if isDue { refresh { _ in } }
        }
    }

    /// Answers with what no longer needs the listing; an undecided kind is asked for first.
    private func give(_ answer: LookupAnswer, _ name: FileName, _ reply: consuming Reply) {
        switch answer {
        case .entry(let entry): reply.entry(entry)
        case .missing(let timeout): reply.missing(entryTimeout: timeout)
        case .stale: reply.fail(.io)
        case .failed(let errno): reply.fail(errno)
        case .undecided(let slot, let file): decideKind(of: slot, file, context.park(reply))
        case .unlisted: lookUpUnlisted(name, context.park(reply))
        }
    }

    func finish(_ answer: LookupAnswer, _ name: FileName, _ parked: ParkedReply) {
        switch answer {
        case .undecided(let slot, let file): return decideKind(of: slot, file, parked)
        case .unlisted: return lookUpUnlisted(name, parked)
        case .stale, .missing, .entry, .failed: break
        }
        if let reply = context.take(parked) { return give(answer, name, reply) }
        // The reader went away: the kernel will not forget what it never got.
        if case .entry(let entry) = answer { uncount(entry) }
    }

    func fail(_ parked: ParkedReply, _ failure: FileFailure?) {
        guard let reply = context.take(parked) else { return }
        reply.fail(context.errnos.errno(for: failure ?? .shutDown))
    }

    private func decideKind(of slot: UInt32, _ file: RemoteFile, _ parked: ParkedReply) {
        file.probe { [self] outcome in
            let entry: Entry? = state.withLock { state in
                guard let child = state.table[slot] else { return nil }
                if case .directory(let url) = outcome, case .file = child.target {
                    state.table.setTarget(
                        .directory(
                            makeDirectory(.remote(url, state.style), state.table.entry(of: child), modified: nil)),
                        of: slot)
                }
                return self.entry(slot: slot, in: &state, now: .now())
            }
            guard let reply = context.take(parked) else {
                if let entry { uncount(entry) }
                return
            }
            switch outcome {
            case .failed(let failure): reply.fail(context.errnos.errno(for: failure))
            case .directory, .file:
                if let entry { reply.entry(entry) } else { reply.fail(.stale) }
            }
        }
    }

    /// - Parameter now: nil right after a refresh, which makes any listing good enough.
    func answer(for name: FileName, in state: inout State, now: Instant?) -> LookupAnswer {
        let isRefreshed = now == nil
        let now = now ?? .now()
        guard isRefreshed ? state.hasListing || state.unlistable != nil : state.isUsable(now: now) else {
            return .stale
        }
        guard let index = state.table.listing.index(of: name) else {
            // An old listing does not tell that something is not there.
            if !isRefreshed, now >= state.freshUntil { return .stale }
            if state.unlistable != nil {
                guard let until = state.missingNames[name], now < until else { return .unlisted }
                return .missing(entryTimeout: until - now)
            }
            return .missing(entryTimeout: remaining(in: state, now: now))
        }
        let slot = state.table.slot(at: index)
        if state.table.listing[index].kind == .unknown, case .row? = state.table[slot]?.target,
            let file = file(slot: slot, in: &state)
        {
            return .undecided(slot: slot, file)
        }
        if state.table.listing[index].kind == .unknown, case .file(let file)? = state.table[slot]?.target,
            !file.isDecided
        {
            return .undecided(slot: slot, file)
        }
        return entry(slot: slot, in: &state, now: now).map(LookupAnswer.entry) ?? .failed(.io)
    }

    // MARK: Entries

    /// The answer that names a child, counted as one lookup.
    func entry(slot: UInt32, in state: inout State, now: Instant) -> Entry? {
        guard let child = state.table[slot], let row = state.table.entry(of: child) else { return nil }
        let timeout = remaining(in: state, now: now)
        if row.kind == .directory || child.isDirectory {
            let directory = directory(slot: slot, row: row, in: &state)
            guard let directory else { return nil }
            directory.retain()
            return Entry(
                node: directory.node, attributes: directory.attributes, attributeTimeout: timeout, entryTimeout: timeout
            )
        }
        state.table.retain(slot)
        let (attributes, isExact) = attributes(of: child, row)
        return Entry(
            node: NodeID(directory: number, slot: slot), attributes: attributes,
            attributeTimeout: isExact ? timeout : .zero, entryTimeout: timeout)
    }

    /// What is shown of a file, and whether its size is exact.
    private func attributes(of child: ChildTable.Child, _ row: ListingEntry) -> (Attributes, isExact: Bool) {
        if case .file(let file) = child.target { return file.attributes }
        if case .exact(let size) = row.size {
            return (
                context.attributes(ofFile: fileInode(row), size: size, modified: row.modified), isExact: true
            )
        }
        return (context.attributes(ofFile: fileInode(row), size: nil, modified: row.modified), isExact: false)
    }

    func fileInode(_ row: ListingEntry) -> UInt64 {
        var hash = StableHash()
        hash.add(Int64(bitPattern: inode))
        hash.add(row.reference.utf8)
        if case .exact(let size) = row.size { hash.add(size) }
        hash.add(row.modified ?? -1)
        return hash.inode
    }

    func directory(slot: UInt32, row: ListingEntry, in state: inout State) -> Directory? {
        if case .directory(let directory)? = state.table[slot]?.target { return directory }
        guard let origin = childOrigin(row, in: state) else { return nil }
        let directory = makeDirectory(origin, row, modified: row.modified)
        state.table.setTarget(.directory(directory), of: slot)
        state.table.retain(slot)
        return directory
    }

    private func makeDirectory(_ origin: Origin, _ row: ListingEntry?, modified: Int64?) -> Directory {
        Directory(
            context: context, origin: origin, inode: Self.inode(of: origin), modified: modified, parent: self,
            name: row?.name)
    }

    /// What a row that is a directory leads to.
    func childOrigin(_ row: ListingEntry, in state: State) -> Origin? {
        if let fixed = state.fixedOrigins[row.name] { return fixed }
        if case .manifest(let file, let path) = origin, row.reference.hasPrefix("/") {
            return .manifest(file, path + [row.name])
        }
        return url(of: row, in: state).map { .remote($0, state.style) }
    }

    static func inode(of origin: Origin) -> UInt64 {
        switch origin {
        case .remote(let url, _): return inode(of: url)
        case .manifest(let file, let path):
            var hash = StableHash()
            hash.add(file.path.utf8)
            for name in path { hash.add([0] + name.bytes) }
            return hash.inode
        case .fixed: return 1
        }
    }

    static func inode(of url: HTTPURL) -> UInt64 {
        var hash = StableHash()
        hash.add(url.text.utf8)
        return hash.inode
    }

    func url(of row: ListingEntry, in state: State) -> HTTPURL? {
        if let base = state.base { return base.resolving(reference: row.reference) }
        return (try? HTTPURL.parse(row.reference))?.url
    }

    /// The file behind a slot, made if only its row was known.
    func file(slot: UInt32, in state: inout State) -> RemoteFile? {
        guard let child = state.table[slot], let row = state.table.entry(of: child) else { return nil }
        if case .file(let file) = child.target { return file }
        if case .directory = child.target { return nil }
        guard let url = url(of: row, in: state) else { return nil }
        var size: Int64?
        if case .exact(let exact) = row.size { size = exact }
        let file = RemoteFile(
            context: context, url: url, inode: fileInode(row), size: size, modified: row.modified,
            isDecided: row.kind == .file)
        file.onSuperseded { [weak self] successor in self?.supersede(slot, by: successor) }
        state.table.setTarget(.file(file), of: slot)
        return file
    }

    private func supersede(_ slot: UInt32, by file: RemoteFile) {
        guard let newSlot = state.withLock({ $0.table.supersede(slot, with: .file(file)) }) else { return }
        file.onSuperseded { [weak self] successor in self?.supersede(newSlot, by: successor) }
    }

    func remaining(in state: State, now: Instant) -> Duration {
        state.freshUntil > now ? min(state.freshUntil - now, context.options.ttl) : .zero
    }

    // MARK: Counts

    func retain() { state.withLock { $0.lookups += 1 } }

    func forget(slot: UInt32, count: UInt64) {
        state.withLock { $0.table.forget(slot, count: count) }
        removeIfUnused()
    }

    /// The kernel forgot this directory itself.
    func forget(count: UInt64) {
        state.withLock { $0.lookups -= min(count, $0.lookups) }
        removeIfUnused()
    }

    /// Gives the listing's memory back once neither the kernel nor a handle knows anything of this directory.
    func removeIfUnused() {
        giveBackListing()
        guard let parent else { return }
        let isRemoved = parent.state.withLock { parentState in
            // A lookup of this directory goes through the parent's lock, so none can come in between.
            let isUnused = state.withLock {
                $0.lookups == 0 && !$0.isAhead && $0.isIdle
            }
            guard isUnused else { return false }
            context.directories.remove(number)
            parentState.table.remove(self)
            return true
        }
        if isRemoved { parent.removeIfUnused() }
    }
}

extension ChildTable.Child {
    fileprivate var isDirectory: Bool {
        if case .directory = target { true } else { false }
    }
}
