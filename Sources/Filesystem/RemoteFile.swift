import Fuse
import HTTP
import Platform
import Segments

/// One version of one remote file: its attributes, its bytes here and on the way, and who waits for them. Any thread.
///
/// Never holds its lock while it replies, starts a request or calls another object.
final class RemoteFile: Sendable {
    struct State: Sendable {
        /// Bytes; nil while unknown, or while only a rounded size is known.
        var size: Int64?
        /// The size shows only at the end of the body, which comes front to back.
        var isUnbounded = false
        /// Seconds since 1970. Once shown it stays for this version.
        var modified: Int64?
        /// Whether the entry is known to be a file.
        var isDecided: Bool
        /// As the last answer of the server had it.
        var version: FileVersion?
        var confirmedUntil = Instant(nanoseconds: 0)
        /// Until when an unknown size is not asked for again.
        var probedUntil = Instant(nanoseconds: 0)
        var bytes: FileBytes?
        var evictor: SegmentEvictor?
        var waiters: [ReadID: ReadWaiter] = [:]
        var transfers: [FetchID: FileTransfer] = [:]
        var contact: FileTransfer?
        var openers: [ParkedReply] = []
        var probeWaiters: [@Sendable (ProbeOutcome) -> Void] = []
        var openCount = 0
        var nextRead: UInt64 = 0
        /// The server's copy is another version now.
        var isGone = false
        /// The server's entity tags differ from one answer to the next for the same bytes.
        var ignoresTags = false
        var lastFailure: FileFailure?
        var onSuperseded: (@Sendable (RemoteFile) -> Void)?
        /// Reused for every step, so that a read that hits allocates nothing.
        var actions: [FileBytes.Action] = []
    }

    enum ProbeOutcome: Sendable {
        case file
        /// The name without slash was redirected to the name with one.
        case directory(HTTPURL)
        case failed(FileFailure)
    }

    let context: MountContext
    let url: HTTPURL
    let inode: UInt64
    /// Different for every object: groups its requests.
    let key: UInt64
    let state: Lock<State>

    init(context: MountContext, url: HTTPURL, inode: UInt64, size: Int64?, modified: Int64?, isDecided: Bool) {
        self.context = context
        self.url = url
        self.inode = inode
        key = context.files.nextKey()
        state = Lock(State(size: size, modified: modified, isDecided: isDecided))
        context.files.insert(self)
    }

    deinit {
        context.files.remove(key)
        let (evictor, capacity) = state.withLock { ($0.evictor, $0.bytes?.capacity ?? 0) }
        if let evictor { context.budget.unregister(evictor) }
        if capacity > 0 { context.budget.release(capacity) }
    }

    var attributes: (Attributes, isExact: Bool) {
        let (size, modified) = state.withLock { ($0.size, $0.modified) }
        return (context.attributes(ofFile: inode, size: size, modified: modified), size != nil)
    }

    var isDecided: Bool { state.withLock { $0.isDecided } }
    var isUnbounded: Bool { state.withLock { $0.isUnbounded } }

    /// Told once when the server turns out to have another version; its node takes this one's place.
    func onSuperseded(_ body: @escaping @Sendable (RemoteFile) -> Void) { state.withLock { $0.onSuperseded = body } }

    // MARK: Open

    func open(_ reply: consuming Reply) {
        enum Way { case opened(directIO: Bool), stale, wait }
        let now = Instant.now()
        let way: Way = state.withLock { state in
            if state.isGone { return .stale }
            guard state.bytes != nil, now < state.confirmedUntil else { return .wait }
            state.openCount += 1
            return .opened(directIO: state.isUnbounded)
        }
        switch way {
        case .stale: reply.fail(.stale)
        case .opened(let directIO): opened(reply, directIO: directIO)
        case .wait:
            let parked = context.park(reply)
            let contact: FileTransfer? = state.withLock { state in
                state.openers.append(parked)
                guard state.contact == nil else { return nil }
                let contact = makeContact(state)
                state.contact = contact
                return contact
            }
            contact?.start()
        }
    }

    private func opened(_ reply: consuming Reply, directIO: Bool) {
        context.counters.openFiles.add(1)
        reply.opened(RemoteFileHandle(self), directIO: directIO, keepCache: !directIO)
    }

    /// Asks for the first bytes, so that size, validators, range support and data come with one request; for one byte
    /// if the file was open before and only its version is to be confirmed.
    private func makeContact(_ state: State) -> FileTransfer {
        let end = state.bytes != nil ? 1 : min(state.size ?? .max, SegmentLimits.head)
        return FileTransfer(
            context: context, file: self, fetch: nil, range: 0..<max(end, 1), isPlain: state.size == 0)
    }

    func released() {
        context.counters.openFiles.add(-1)
        act { state in
            state.openCount -= 1
            guard state.openCount == 0 else { return }
            if let learned = state.bytes?.learnedConnections {
                context.traits.note(connections: learned, for: url.origin)
            }
            state.bytes?.close(now: .now(), actions: &state.actions)
        }
    }

    /// Everybody who waits to open it gets the file, or the failure.
    func answerOpeners(_ openers: [ParkedReply], _ failure: FileFailure?) {
        for opener in openers {
            let directIO = state.withLock { $0.isUnbounded }
            guard let reply = context.take(opener) else { continue }
            if let failure {
                reply.fail(context.errnos.errno(for: failure))
            } else {
                state.withLock { $0.openCount += 1 }
                opened(reply, directIO: directIO)
            }
        }
    }

    // MARK: Read

    func read(offset: Int64, length: Int, reply: consuming Reply) {
        let now = Instant.now()
        let (id, outcome, waiter, work) = state.withLock { state in
            let id = ReadID(rawValue: state.nextRead)
            state.nextRead += 1
            let outcome =
                state.bytes?.read(id, offset: offset, length: length, now: now, actions: &state.actions)
                ?? .failed(FileFailure.changed)
            var waiter: ReadWaiter?
            if case .waiting = outcome {
                waiter = ReadWaiter(context: context, offset: offset, length: length)
                state.waiters[id] = waiter
            }
            return (id, outcome, waiter, takeWork(&state))
        }
        switch outcome {
        case .ready(let first, let second): reply.data(first, second)
        case .endOfFile: reply.empty()
        case .failed(let failure): reply.fail(context.errnos.errno(for: failure))
        case .waiting:
            let parked = context.park(reply) { [self] _ in abandon(id) }
            waiter?.park(parked)
        }
        run(work)
    }

    private func abandon(_ id: ReadID) {
        act { state in
            state.waiters[id] = nil
            state.bytes?.abandon(id, now: .now(), actions: &state.actions)
        }
    }

    // MARK: Steps of the segments

    /// What has to be done after the lock is released.
    enum Work: Sendable {
        case answer(ReadWaiter, ReadWaiter.Outcome)
        case start(FileTransfer, Fetch)
        case cancel(FileTransfer)
        case pause(FileTransfer, Bool)
        case grow(FetchID, Int64)
        case settle(reserved: Int64, unused: Int64)
        case release(Int64)
    }

    /// A hand-over to another thread costs about 10 us, which is what the kernel takes to copy this much.
    private static let largeReply = 128 * 1024

    /// One step of the state machine, then what it asked for.
    func act(_ step: (inout State) -> Void) {
        let work = state.withLock { state in
            step(&state)
            return takeWork(&state)
        }
        run(work)
    }

    func takeWork(_ state: inout State) -> [Work] {
        guard !state.actions.isEmpty else { return [] }
        var work: [Work] = []
        for action in state.actions {
            switch action {
            case .reply(let id, let first, let second):
                if let waiter = state.waiters.removeValue(forKey: id) {
                    work.append(.answer(waiter, .data(first, second)))
                }
            case .endOfFile(let id):
                if let waiter = state.waiters.removeValue(forKey: id) { work.append(.answer(waiter, .endOfFile)) }
            case .fail(let id, let failure):
                if let waiter = state.waiters.removeValue(forKey: id) {
                    work.append(.answer(waiter, .failed(context.errnos.errno(for: failure))))
                }
            case .start(let fetch):
                let transfer = FileTransfer(
                    context: context, file: self, fetch: fetch.id, range: fetch.range,
                    isPlain: state.bytes?.isStream ?? false, isDemand: fetch.isDemand)
                state.transfers[fetch.id] = transfer
                work.append(.start(transfer, fetch))
            case .settle(let reserved, let unused): work.append(.settle(reserved: reserved, unused: unused))
            case .release(let bytes): work.append(.release(bytes))
            case .grow(let id, let bytes): work.append(.grow(id, bytes))
            case .pause(let id):
                if let transfer = state.transfers[id] { work.append(.pause(transfer, true)) }
            case .resume(let id):
                if let transfer = state.transfers[id] { work.append(.pause(transfer, false)) }
            case .cancel(let id):
                if let transfer = state.transfers.removeValue(forKey: id) { work.append(.cancel(transfer)) }
            }
        }
        state.actions.removeAll(keepingCapacity: true)
        return work
    }

    func run(_ work: [Work]) {
        for item in work {
            switch item {
            case .answer(let waiter, let outcome):
                // The kernel copies the bytes while it takes the reply; for a large one that is better done beside the
                // network thread, which takes the next bytes meanwhile.
                if outcome.byteCount >= Self.largeReply {
                    context.replies.async { waiter.answer(outcome) }
                } else {
                    waiter.answer(outcome)
                }
            case .cancel(let transfer): transfer.cancel()
            case .settle(let reserved, let unused):
                context.budget.settle(reserved: reserved, unused: unused, host: url.origin.host)
            case .release(let bytes): context.budget.release(bytes)
            case .pause(let transfer, let isPaused): transfer.setPaused(isPaused)
            case .grow(let fetch, let bytes): grow(fetch, bytes)
            case .start(let transfer, let fetch): start(transfer, fetch)
            }
        }
    }

    /// Memory first, then the request; prefetch for which there is none is given up.
    func start(_ transfer: FileTransfer, _ fetch: Fetch) {
        let host = url.origin.host
        if fetch.isDemand {
            let isGranted = context.budget.reserveForDemand(fetch.reservation, host: host) { [self] in
                begin(transfer, fetch)
            }
            if isGranted { begin(transfer, fetch) }
        } else if context.budget.reserveForPrefetch(fetch.reservation, host: host, now: .now()) {
            begin(transfer, fetch)
        } else {
            act { state in
                state.transfers[fetch.id] = nil
                state.bytes?.refuse(fetch.id, now: .now(), actions: &state.actions)
            }
        }
    }

    private func begin(_ transfer: FileTransfer, _ fetch: Fetch) {
        let isWanted = state.withLock { $0.bytes?.begin(fetch.id) ?? false }
        guard isWanted else {
            return context.budget.settle(reserved: fetch.reservation, unused: fetch.reservation, host: url.origin.host)
        }
        transfer.start()
    }

    /// More memory for a stream, or word that there is none.
    private func grow(_ fetch: FetchID, _ bytes: Int64) {
        let host = url.origin.host
        let isGranted = context.budget.reserveForPrefetch(bytes, host: host, now: .now())
        var isWanted = false
        act { state in
            isWanted = state.bytes?.grow(fetch, by: isGranted ? bytes : 0, actions: &state.actions) ?? false
        }
        if isGranted, !isWanted { context.budget.settle(reserved: bytes, unused: bytes, host: host) }
    }

    func receive(_ fetch: FetchID, _ span: RawSpan, now: Instant) {
        let work = state.withLock { state in
            state.bytes?.receive(fetch, bytes: span, now: now, actions: &state.actions)
            return takeWork(&state)
        }
        run(work)
    }
}
