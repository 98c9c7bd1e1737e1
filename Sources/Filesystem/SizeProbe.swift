import Fuse
import HTTP
import Listings
import Platform

/// Asks for a file's attributes without its bytes: HEAD, or a 1-byte GET where HEAD is refused.
extension RemoteFile {
    /// - Parameter completion: called once, on the network thread or before this returns.
    func probe(_ completion: @escaping @Sendable (ProbeOutcome) -> Void) {
        let now = Instant.now()
        let (isKnown, starts) = state.withLock { state in
            // Another probe may have ended since the caller looked.
            if state.isDecided, state.size != nil || now < state.probedUntil { return (true, false) }
            state.probeWaiters.append(completion)
            return (false, state.probeWaiters.count == 1)
        }
        if isKnown { return completion(.file) }
        guard starts else { return }
        if context.traits.refusesHead(url.origin) { askByRange(headStatus: nil) } else { askByHead() }
    }

    private func askByHead() {
        var request = Request(.head, url, purpose: .metadata)
        request.decodesContent = !isCompressedName
        context.client.fetch(request, limit: 0, patience: context.options.operationTimeout) { [self] result in
            switch result {
            case .success(let response) where (200..<300).contains(response.head.status):
                guard let size = sizeIfKnown(response.head) else { return askByRange(headStatus: nil) }
                finishProbe(response.head, size: size)
            case .success(let response) where Self.mayRefuseHead(response.head.status):
                askByRange(headStatus: response.head.status)
            case .success(let response):
                finishProbe(failed: .status(response.head.status))
            case .failure(.noAnswer), .failure(.badHead):
                askByRange(headStatus: nil)
            case .failure(let error):
                finishProbe(failed: .transfer(error))
            }
        }
    }

    /// Statuses that servers give to HEAD of files that GET serves: not implemented, or a link signed for GET only.
    private static func mayRefuseHead(_ status: Int) -> Bool { [400, 403, 405, 406, 501].contains(status) }

    private func askByRange(headStatus: Int?) {
        var request = Request(.get, url, purpose: .metadata)
        request.range = 0..<1
        request.decodesContent = !isCompressedName
        context.client.fetch(
            request, limit: 64 << 10, patience: context.options.operationTimeout, keepsBody: { $0.hasShortBody }
        ) { [self] result in
            switch result {
            case .success(let response):
                let answer = Answer(response.head, to: 0..<1, isDecoded: !isCompressedName)
                if headStatus != nil, response.head.status < 400 { context.traits.noteRefusedHead(url.origin) }
                switch answer {
                case .part(_, let total): finishProbe(response.head, size: total)
                case .whole(let size): finishProbe(response.head, size: size)
                case .empty: finishProbe(response.head, size: 0)
                case .unsatisfiable(let total?): finishProbe(response.head, size: total)
                case .status(let status): finishProbe(failed: .status(status))
                default: finishProbe(response.head, size: nil)
                }
            case .failure(let error):
                finishProbe(failed: .transfer(error))
            }
        }
    }

    /// A HEAD's length is of the body GET would send; of a coded one it says nothing about the file.
    private func sizeIfKnown(_ head: ResponseHead) -> Int64? {
        isCompressedName || head.contentEncodings.isEmpty ? head.contentLength : nil
    }

    private func finishProbe(_ head: ResponseHead, size: Int64?) {
        let isRedirectToDirectory = !url.isDirectory && head.url.isDirectory
        let waiters = state.withLock { state in
            if !isRedirectToDirectory {
                state.isDecided = true
                // What a reader found out stands above what a probe says.
                if state.version == nil {
                    state.size = size ?? state.size
                    if state.modified == nil { state.modified = head.lastModified }
                }
                state.probedUntil = .now() + context.options.ttl
            }
            defer { state.probeWaiters = [] }
            return state.probeWaiters
        }
        for waiter in waiters { waiter(isRedirectToDirectory ? .directory(head.url) : .file) }
    }

    private func finishProbe(failed failure: FileFailure) {
        _ = context.errnos.report(failure, of: url)
        let waiters = state.withLock { state in
            state.lastFailure = failure
            defer { state.probeWaiters = [] }
            return state.probeWaiters
        }
        for waiter in waiters { waiter(.failed(failure)) }
    }
}

extension Directory {
    /// GETATTR of a file: from the listing where that is exact, from an open file without the network, else asked for,
    /// and from the second one in listing order on the following rows too.
    func attributes(slot: UInt32, reply: consuming Reply) {
        let now = Instant.now()
        let (known, file, ahead): ((Attributes, Duration)?, RemoteFile?, [RemoteFile]) = state.withLock { state in
            guard let child = state.table[slot], let row = state.table.entry(of: child) else { return (nil, nil, []) }
            if case .exact(let size) = row.size, state.table.isPlainRow(slot) {
                let attributes = context.attributes(ofFile: fileInode(row), size: size, modified: row.modified)
                return ((attributes, remaining(in: state, now: now)), nil, [])
            }
            guard let file = self.file(slot: slot, in: &state) else { return (nil, nil, []) }
            let ahead = child.index.map { filesAhead(of: $0, in: &state) } ?? []
            if let attributes = file.knownAttributes(now: now) {
                return ((attributes, file.attributes.isExact ? remaining(in: state, now: now) : .zero), nil, ahead)
            }
            return (nil, file, ahead)
        }
        defer { for file in ahead { file.probe { _ in } } }
        if let (attributes, timeout) = known { return reply.attributes(attributes, timeout: timeout) }
        guard let file else { return reply.fail(.stale) }
        let parked = context.park(reply)
        file.probe { [context] outcome in
            guard let reply = context.take(parked) else { return }
            switch outcome {
            case .failed(let failure): reply.fail(context.errnos.errno(for: failure))
            case .directory: reply.fail(.stale)
            case .file: reply.attributes(file.attributes.0, timeout: .zero)
            }
        }
    }

    /// A name was looked up. What was asked ahead needs no GETATTR, so this is how the reader's progress shows.
    func filesAhead(of name: FileName, in state: inout State) -> [RemoteFile] {
        guard state.probes.isActive, let index = state.table.listing.index(of: name), state.probes.isAhead(index) else {
            return []
        }
        return filesAhead(of: index, in: &state)
    }

    private func filesAhead(of index: Int, in state: inout State) -> [RemoteFile] {
        let table = state.table
        let now = Instant.now()
        let needsProbe = { (index: Int) -> Bool in
            let row = table.listing[index]
            guard row.kind != .directory else { return false }
            if case .exact = row.size { return false }
            if let slot = table.existingSlot(at: index), case .file(let file)? = table[slot]?.target {
                return file.knownAttributes(now: now) == nil
            }
            return true
        }
        let rows = state.probes.next(after: index, count: table.listing.count, isInexact: needsProbe)
        return rows.filter(needsProbe).compactMap { row in
            let slot = state.table.slot(at: row)
            guard let file = file(slot: slot, in: &state), file.knownAttributes(now: .now()) == nil else { return nil }
            return file
        }
    }
}

extension RemoteFile {
    /// Attributes that need no question: the exact size is known, or the file is open, or was just asked for in vain.
    func knownAttributes(now: Instant) -> Attributes? {
        let isKnown = state.withLock { $0.size != nil || $0.openCount > 0 || now < $0.probedUntil }
        return isKnown ? attributes.0 : nil
    }
}
