import Fuse
import HTTP
import Platform
import Segments

/// What the answers of the server mean for the file.
extension RemoteFile {
    /// The request for a run of bytes, or for the whole file without a Range header.
    func request(for range: Range<Int64>?, isDemand: Bool, omitsIfMatch: Bool) -> Request {
        var request = Request(.get, url, purpose: isDemand ? .demand : .prefetch)
        request.range = range
        request.resource = key
        request.decodesContent = !isCompressedName
        if !omitsIfMatch {
            request.ifMatch = state.withLock { state in
                guard state.bytes != nil, !state.ignoresTags, let tag = state.version?.entityTag, !tag.isWeak else {
                    return nil
                }
                return tag.opaque
            }
        }
        return request
    }

    /// A coding of a file that is compressed itself is the file, not a way of sending it.
    var isCompressedName: Bool {
        let name = url.path.lowercased()
        return Self.compressedEndings.contains { name.hasSuffix($0) }
    }

    private static let compressedEndings = [
        ".gz", ".tgz", ".svgz", ".br", ".zst", ".xz", ".bz2", ".lzma", ".z", ".zip", ".7z",
    ]

    /// Checks the head of an answer against what was asked and what is known, and says what becomes of its body.
    /// - Parameter asked: the range of the Range header; nil for a plain request.
    func judge(_ head: ResponseHead, to asked: Range<Int64>?, _ transfer: FileTransfer) -> FileTransfer.Step {
        let answer = Answer(head, to: asked, isDecoded: !isCompressedName)
        switch answer {
        case .part(_, let total):
            guard let size = total ?? state.withLock({ $0.size }) else { return .plain }
            return accept(answer, head, size: size, transfer)
        case .whole(let size): return accept(answer, head, size: size, transfer)
        case .empty: return accept(answer, head, size: 0, transfer)
        case .unsatisfiable(let total?) where transfer.isContact:
            return transfer.narrow(to: total) ? .again : .plain
        case .unsatisfiable(let total):
            let isChanged = state.withLock { state in total.map { $0 != state.size } ?? false }
            return isChanged ? changed(head, size: total, nil) : withoutRanges(transfer)
        case .wrongPart(let how):
            if transfer.firstTime(\.hadWrongPart) { return .again }
            return asked == nil ? .fail(.wrongAnswer(how)) : withoutRanges(transfer)
        case .unreadablePart, .rangeRefused: return withoutRanges(transfer)
        case .preconditionFailed:
            return transfer.firstTime(\.omitsIfMatch) ? .again : .fail(.status(head.status))
        case .status(let status):
            return RetryPolicy.isTransient(status)
                ? .later(status: status, retryAfter: head.retryAfter) : .fail(.status(status))
        }
    }

    /// The server does not serve parts of this file, whatever it says: it is read front to back.
    private func withoutRanges(_ transfer: FileTransfer) -> FileTransfer.Step {
        if transfer.isContact { return .plain }
        act { state in
            guard let bytes = state.bytes, !bytes.isStream, let size = bytes.size else { return }
            state.bytes?.abandonAll(state.waiters.keys, now: .now(), actions: &state.actions)
            state.bytes = FileBytes(streamOf: size, pool: context.budget.pool)
            for (id, waiter) in state.waiters.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                _ = state.bytes?.read(
                    id, offset: waiter.offset, length: waiter.length, now: .now(), actions: &state.actions)
            }
        }
        return .stop
    }

    private func accept(_ answer: Answer, _ head: ResponseHead, size: Int64?, _ transfer: FileTransfer)
        -> FileTransfer.Step
    {
        let version = FileVersion(size: size, entityTag: head.entityTag, lastModified: head.lastModified)
        switch compare(version, isContact: transfer.isContact) {
        case .different where isErrorPage(head, answer):
            return .fail(.wrongAnswer("an HTML page of another size instead of the file"))
        case .different: return changed(head, size: size, transfer.isContact ? transfer : nil, answer)
        case .tagsDiffer:
            if transfer.firstTime(seeing: head.entityTag) { return .again }
            if transfer.sawAgain(head.entityTag) {
                return changed(head, size: size, transfer.isContact ? transfer : nil, answer)
            }
            state.withLock { $0.ignoresTags = true }
        case .same: break
        }
        if let fetch = transfer.fetch { return acceptMore(answer, fetch, transfer) }
        return establish(version, answer, head, transfer)
    }

    /// Many servers send their error pages with status 200. One that is not even a version of the file shows by its type.
    private func isErrorPage(_ head: ResponseHead, _ answer: Answer) -> Bool {
        guard case .whole = answer, head.mediaType == "text/html" else { return false }
        let name = url.path.lowercased()
        return !["html", "htm", "xhtml", "/"].contains { name.hasSuffix($0) }
    }

    private func compare(_ later: FileVersion, isContact: Bool) -> FileVersion.Comparison {
        state.withLock { state in
            guard let version = state.version else {
                // Only the listing spoke so far: its exact size is what the kernel was told.
                return state.size != nil && later.size != nil && state.size != later.size ? .different : .same
            }
            if isContact, state.bytes != nil, !later.hasValidator { return .different }
            return version.compare(to: later, ignoringTags: state.ignoresTags)
        }
    }

    /// More bytes of a file that is known.
    private func acceptMore(_ answer: Answer, _ fetch: FetchID, _ transfer: FileTransfer) -> FileTransfer.Step {
        guard case .whole = answer else { return .deliver(fetch) }
        if transfer.isAtFront { return .deliver(fetch) }
        return withoutRanges(transfer)
    }

    /// The first answer tells what the file is; its body is the first data.
    func establish(
        _ version: FileVersion, _ answer: Answer, _ head: ResponseHead, _ transfer: FileTransfer
    ) -> FileTransfer.Step {
        let now = Instant.now()
        let evictor = SegmentEvictor(self)
        let (openers, fetch, isNew): ([ParkedReply], Fetch?, Bool) = state.withLock { state in
            state.version = version
            state.confirmedUntil = now + (head.freshness ?? context.options.ttl)
            state.isDecided = true
            state.lastFailure = nil
            // From here on it is a fetch like any other, which the last close may cancel; a later open asks anew.
            if state.contact === transfer { state.contact = nil }
            if state.modified == nil { state.modified = version.lastModified }
            defer { state.openers = [] }
            guard state.bytes == nil else { return (state.openers, nil, false) }
            state.size = version.size
            state.isUnbounded = version.size == nil
            state.evictor = evictor
            let (bytes, fetch) = makeBytes(version, answer, wanted: transfer.wanted)
            state.bytes = bytes
            if let fetch {
                state.transfers[fetch.id] = transfer
                transfer.settle(on: fetch.id, range: fetch.range)
            }
            return (state.openers, fetch, true)
        }
        if isNew { context.budget.register(evictor) }
        if let fetch { context.budget.charge(fetch.reservation, host: url.origin.host) }
        answerOpeners(openers, nil)
        return fetch.map { .deliver($0.id) } ?? .stop
    }

    /// The file's bytes, and the contact's answer as their first fetch.
    private func makeBytes(
        _ version: FileVersion, _ answer: Answer, wanted: Range<Int64>
    ) -> (FileBytes, Fetch?) {
        let pool = context.budget.pool
        var bytes: FileBytes
        var range = 0..<Int64.max
        switch (answer, version.size) {
        case (.part, let size?):
            bytes = FileBytes(size: size, limits: context.limits, pool: pool)
            bytes.learnedConnections = context.traits.connections(url.origin)
            // All that was asked for: a shorter part is continued.
            range = wanted.clamped(to: 0..<size)
        case (.whole, let size?) where size > 0: bytes = FileBytes(streamOf: size, pool: pool)
        case (.whole, nil): bytes = FileBytes(streamOf: nil, pool: pool)
        default: return (FileBytes(size: 0, limits: context.limits, pool: pool), nil)
        }
        let fetch = bytes.adopt(range)
        if let fetch { _ = bytes.begin(fetch.id) }
        return (bytes, fetch)
    }

    /// The server has another version. Readers of this one get ESTALE; the new one gets a node of its own, and the rest
    /// of the answer if that begins at the front.
    private func changed(
        _ head: ResponseHead, size: Int64?, _ contact: FileTransfer?, _ answer: Answer? = nil
    ) -> FileTransfer.Step {
        let version = FileVersion(size: size, entityTag: head.entityTag, lastModified: head.lastModified)
        let successor = RemoteFile(
            context: context, url: url, inode: successorInode(version), size: size, modified: version.lastModified,
            isDecided: true)
        var step = FileTransfer.Step.fail(.changed)
        if let contact, let answer {
            contact.move(to: successor)
            step = successor.establish(version, answer, head, contact)
        }
        markGone(successor)
        return step
    }

    private func successorInode(_ version: FileVersion) -> UInt64 {
        var hash = StableHash()
        hash.add(url.text.utf8)
        hash.add(version.size ?? -1)
        hash.add(version.lastModified ?? -1)
        hash.add((version.entityTag?.opaque ?? "").utf8)
        return hash.inode
    }

    private func markGone(_ successor: RemoteFile) {
        context.log.info("\(url.masked): changed on the server")
        let (openers, others, notify, work) = state.withLock { state in
            state.isGone = true
            state.lastFailure = .changed
            state.bytes?.failAll(.changed, actions: &state.actions)
            let work = takeWork(&state)
            let others = Array(state.transfers.values)
            state.transfers = [:]
            state.contact = nil
            defer { state.openers = [] }
            return (state.openers, others, state.onSuperseded, work)
        }
        notify?(successor)
        run(work)
        for transfer in others { transfer.cancel() }
        answerOpeners(openers, .changed)
    }

    // MARK: Ends

    /// A transfer is over: its bytes are all here, or the failure is final.
    func ended(_ transfer: FileTransfer, _ fetch: FetchID?, _ failure: FileFailure?) {
        if let failure { _ = context.errnos.report(failure, of: url) }
        let (openers, work) = state.withLock { state in
            var openers: [ParkedReply] = []
            if state.contact === transfer { state.contact = nil }
            if let failure { state.lastFailure = failure }
            if fetch == nil, state.contact == nil {
                openers = state.openers
                state.openers = []
            }
            if let fetch, state.transfers[fetch] === transfer {
                state.transfers[fetch] = nil
                let isOverload = failure == .status(429) || failure == .status(503)
                state.bytes?.end(
                    fetch, failure: failure, isOverload: isOverload, now: .now(), actions: &state.actions)
                if state.isUnbounded, let size = state.bytes?.size { state.size = size }
            }
            return (openers, takeWork(&state))
        }
        answerOpeners(openers, failure ?? (openers.isEmpty ? nil : .wrongAnswer("an empty answer")))
        run(work)
    }

    /// The mount is going away: everybody who waits gets EIO.
    func shutDown() {
        let (openers, transfers, work) = state.withLock { state in
            state.bytes?.failAll(.shutDown, actions: &state.actions)
            let transfers = Array(state.transfers.values) + [state.contact].compactMap { $0 }
            state.transfers = [:]
            state.contact = nil
            defer { state.openers = [] }
            return (state.openers, transfers, takeWork(&state))
        }
        run(work)
        for transfer in transfers { transfer.cancel() }
        answerOpeners(openers, .shutDown)
    }
}

extension FileVersion {
    var hasValidator: Bool { entityTag != nil || lastModified != nil }
}
