import CCurl
import Glibc
import Platform

/// The network thread's work: takes commands, drives libcurl's multi handle, fires timers.
// SAFETY: all mutable state but the two locks is touched by the network thread alone (`run`); `wake` only calls
// `curl_multi_wakeup`, which any thread may.
final class NetworkLoop: @unchecked Sendable {
    struct HealthEntry: Sendable {
        var pausedUntil = Instant(nanoseconds: 0)
        var error: TransferError?
    }

    let statistics = Lock(HTTPStatistics())
    let health = Lock<[Origin: HealthEntry]>([:])
    let configuration: HTTPConfiguration
    private let multi: UnsafeMutableRawPointer
    var identities: OriginIdentities
    private var transfers: [TransferID: Transfer] = [:]
    private var queues: [Origin: HostQueue] = [:]
    private var timers = TimerQueue()
    private var idleHandles: [EasyHandle] = []
    private var isClosing = false

    /// Easy handles kept for the next requests; their buffers are the cost.
    private static let maximumIdleHandles = 8
    /// How often running transfers are looked at for stalls.
    private static let sweep = Duration.milliseconds(250)
    /// A reused connection that says nothing for this long may have died unnoticed.
    private static let reusedPatience = Duration.seconds(3)
    /// For the rest of a body that nobody wants.
    private static let remainderPatience = Duration.seconds(1)
    /// The longest pause a host is granted; what it asks beyond that, later requests will hear again.
    private static let longestPause = Duration.seconds(120)
    /// Hosts whose health is kept: redirects may lead anywhere.
    private static let maximumHosts = 1024

    init(_ configuration: HTTPConfiguration) throws(Errno) {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = curl_multi_init() else {
            throw .noMemory
        }
        self.configuration = configuration
        self.multi = multi
        identities = OriginIdentities(configuration)
        _ = ccurl_multi_setopt_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        _ = ccurl_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, 64)
    }

    /// Here, not at the end of `run`: a late `wake` must still find it.
    deinit {
        curl_multi_cleanup(multi)
        identities.removeAll()
    }

    func wake() { curl_multi_wakeup(multi) }

    func run(_ commands: () -> [HTTPClient.Command]) {
        while true {
            for command in commands() { execute(command) }
            if isClosing { break }
            admit(now: .now())
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            takeMessages()
            // After the bytes: when the machine stood still, what has arrived meanwhile must not count as a stall.
            let now = Instant.now()
            while let job = timers.next(now: now) { job() }
            admit(now: .now())
            sweepIfDue(now: .now())
            curl_multi_poll(multi, nil, 0, Int32(clamping: pollTime().wholeNanoseconds / 1_000_000 + 1), nil)
        }
        for transfer in Array(transfers.values) { end(transfer, .failure(.cancelled)) }
        // What consumers asked for while they were told.
        for command in commands() {
            switch command {
            case .start(_, _, let consumer): consumer.finish(.failure(.cancelled))
            case .upload(_, _, let observer): observer.finish(.failed(.cancelled, isFullySent: false))
            case .cancel, .pause, .schedule, .cancelTimer, .shutdown: break
            }
        }
        timers = TimerQueue()
        idleHandles = []
    }

    private func execute(_ command: HTTPClient.Command) {
        switch command {
        case .start(let id, let request, let consumer):
            if let flaw = RequestFlaw(of: request) {
                return consumer.finish(.failure(.refusedRequest(flaw.description)))
            }
            begin(Transfer(id: id, request: request, consumer: consumer, now: .now()))
        case .upload(let id, let form, let observer):
            let upload = RunningUpload(form, observer)
            if let flaw = RequestFlaw(of: upload.request) ?? RequestFlaw(of: form) {
                return upload.finish(.failure(.refusedRequest(flaw.description)))
            }
            begin(Transfer(id: id, request: upload.request, consumer: upload, upload: upload, now: .now()))
        case .cancel(let id):
            guard let transfer = transfers[id] else { return }
            end(transfer, .failure(.cancelled))
        case .pause(let id, let isPaused):
            guard let transfer = transfers[id] else { return }
            transfer.isPaused = isPaused
            // The write callback pauses; what it held back comes now.
            if !isPaused, let easy = transfer.easy { curl_easy_pause(easy.pointer, CURLPAUSE_CONT) }
        case .schedule(let id, let due, let job): timers.add(id, due: due, job)
        case .cancelTimer(let id): timers.remove(id)
        case .shutdown: isClosing = true
        }
    }

    // MARK: Scheduling

    private func begin(_ transfer: Transfer) {
        transfers[transfer.id] = transfer
        enqueue(transfer)
    }

    private func enqueue(_ transfer: Transfer) {
        defer { updateCounts() }
        // How many uploads run at a time is their queue's business.
        if transfer.upload != nil { return send(transfer, now: .now()) }
        queues[transfer.url.origin, default: HostQueue(connections: configuration.connectionsPerHost)]
            .enqueue(transfer.id, transfer.request.purpose, resource: transfer.request.resource)
    }

    private func admit(now: Instant) {
        let waiting = queues.compactMap { $0.value.waitingCount > 0 ? $0.key : nil }
        for origin in waiting {
            // Pulled from the transfers only when it matters, not with every chunk.
            for id in queues[origin]?.admittedIDs ?? [] {
                if let transfer = transfers[id] { queues[origin]?.noteByte(id, at: transfer.lastByte) }
            }
            guard let admitted = queues[origin]?.admit(now: now), !admitted.isEmpty else { continue }
            for id in admitted { if let transfer = transfers[id] { send(transfer, now: now) } }
            updateCounts()
        }
    }

    private func updateCounts() {
        let queued = queues.values.reduce(0) { $0 + $1.waitingCount }
        let running = transfers.count - queued
        statistics.withLock {
            $0.queued = queued
            $0.running = running
        }
    }

    private func countBytes(_ transfer: Transfer) {
        let count = transfer.takeUncounted()
        if count > 0 { statistics.withLock { $0.bytesReceived += Int64(count) } }
        let sent = transfer.upload?.takeUncounted() ?? 0
        if sent > 0 { statistics.withLock { $0.uploadedBytes += sent } }
    }

    private func pollTime() -> Duration {
        let now = Instant.now()
        var next = now + .seconds(10)
        if let due = timers.nextDue { next = min(next, due) }
        if !transfers.isEmpty { next = min(next, now + Self.sweep) }
        for queue in queues.values { if let change = queue.nextChange(now: now) { next = min(next, change) } }
        return max(next - now, .zero)
    }

    // MARK: Sending

    private func send(_ transfer: Transfer, now: Instant) {
        guard let easy = idleHandles.popLast() ?? EasyHandle() else {
            return end(transfer, .failure(.other("out of memory")))
        }
        transfer.easy = easy
        transfer.begin(now: now)
        let signing = identities.signing(for: transfer.url.origin, source: transfer.request.url.origin)
        easy.prepare(for: transfer, configuration, signing: signing)
        identities.apply(to: easy, for: transfer.url.origin, source: transfer.request.url.origin)
        if let upload = transfer.upload, !prepare(upload, of: transfer, on: easy) {
            return end(transfer, .failure(.other("out of memory")))
        }
        statistics.withLock { $0.requests += 1 }
        let code = curl_multi_add_handle(multi, easy.pointer)
        if code != CURLM_OK { end(transfer, .failure(.other(String(cString: curl_multi_strerror(code))))) }
    }

    private func detach(_ transfer: Transfer) {
        countBytes(transfer)
        if transfer.hasAnswer { queues[transfer.url.origin]?.lastHeard = transfer.lastByte }
        queues[transfer.url.origin]?.remove(transfer.id)
        if let easy = transfer.easy {
            curl_multi_remove_handle(multi, easy.pointer)
            transfer.easy = nil
            if idleHandles.count < Self.maximumIdleHandles { idleHandles.append(easy) }
        }
        transfer.upload?.body = nil
        curl_slist_free_all(transfer.headers)
        transfer.headers = nil
    }

    // MARK: Ends

    private func takeMessages() {
        var rest: Int32 = 0
        while let message = curl_multi_info_read(multi, &rest) {
            guard message.pointee.msg == CURLMSG_DONE, let pointer = message.pointee.easy_handle else { continue }
            let code = message.pointee.data.result
            var context: UnsafeMutableRawPointer?
            _ = ccurl_easy_getinfo_pointer(pointer, CURLINFO_PRIVATE, &context)
            guard let context else { continue }
            // SAFETY: `prepare` stored the transfer, which `transfers` keeps alive until `end`.
            finished(Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue(), code)
        }
    }

    private func finished(_ transfer: Transfer, _ code: CURLcode) {
        let isReused = noteConnections(transfer)
        if transfer.hasAnswer {
            identities.note(transfer.easy, origin: transfer.url.origin, status: transfer.status)
            noteVersion(transfer)
        }
        if transfer.stoppedAt != nil { return end(transfer, .success(())) }
        if let failure = transfer.failure { return end(transfer, .failure(failure)) }
        if transfer.isPassedOver { return leadOn(transfer) }
        if code == CURLE_OK {
            _ = transfer.deliverHead()
            return end(transfer, transfer.failure.map { .failure($0) } ?? .success(()))
        }
        let isClosed = [CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR].contains(code)
        if isReused, isClosed, !transfer.hasAnswer, !transfer.hasRepeated, transfer.mayBeRepeated {
            return resend(transfer) { $0.repeatOnce(fresh: true) }
        }
        if transfer.upload != nil { transfer.deliverCompleteHead() }
        let error =
            transfer.upload?.body?.failure
            ?? TransferError(
                code, received: transfer.hasDeliveredHead ? transfer.bytesReceived : nil,
                isConnected: transfer.isConnected, isResolved: transfer.easy?.isResolved ?? false)
        end(transfer, .failure(error))
    }

    /// Where an answer leads that is not the final one.
    private func leadOn(_ transfer: Transfer) {
        if transfer.mayLogInAgain { return resend(transfer) { $0.upload?.usesDigest = true } }
        switch transfer.redirect {
        case .follow(let target) where transfer.mustNotLeave(for: target):
            end(transfer, .failure(.refusedRedirect("a request with a body, to another host")))
        case .follow(let target):
            configuration.log.debug("\(transfer.url): \(transfer.status), leads to \(target)")
            resend(transfer) { $0.follow(target) }
        case .refuse(let error): end(transfer, .failure(error))
        case .none: resend(transfer) { $0.returnToOriginal() }
        }
    }

    /// - Returns: whether the try went over a connection that was used before.
    private func noteConnections(_ transfer: Transfer) -> Bool {
        let opened = transfer.easy?.number(CURLINFO_NUM_CONNECTS) ?? 0
        if opened > 0 { statistics.withLock { $0.connectionsOpened += opened } }
        return opened == 0
    }

    private func noteVersion(_ transfer: Transfer) {
        guard transfer.request.purpose.isMetadata, let easy = transfer.easy else { return }
        queues[transfer.url.origin]?.isMultiplexed = easy.number(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
    }

    /// Another try, after a change to the transfer that may take it to another host's queue.
    func resend(_ transfer: Transfer, after change: (Transfer) -> Void) {
        detach(transfer)
        change(transfer)
        enqueue(transfer)
    }

    func end(_ transfer: Transfer, _ outcome: Result<Void, TransferError>) {
        noteHealth(transfer, outcome)
        configuration.log.debug(
            "\(transfer.request.method.rawValue) \(transfer.url): \(transfer.status), "
                + "\(transfer.bytesReceived) bytes, \(outcome)")
        detach(transfer)
        transfers[transfer.id] = nil
        updateCounts()
        if transfer.upload != nil, transfer.hasDeliveredHead { statistics.withLock { $0.uploads += 1 } }
        transfer.consumer.finish(outcome)
    }

    private func noteHealth(_ transfer: Transfer, _ outcome: Result<Void, TransferError>) {
        let origin = transfer.url.origin
        if case .failure(let error) = outcome, error != .cancelled {
            health.withLock { health in
                if health[origin] != nil || health.count < Self.maximumHosts {
                    health[origin, default: HealthEntry()].error = error
                }
            }
        } else if transfer.hasAnswer {
            health.withLock { if $0[origin] != nil { $0[origin]?.error = nil } }
        }
        guard [429, 503].contains(transfer.status), let pause = transfer.head?.retryAfter, pause > .zero else { return }
        let until = Instant.now() + min(pause, Self.longestPause)
        queues[origin]?.pause(until: until)
        health.withLock { $0[origin, default: HealthEntry()].pausedUntil = until }
    }

    // MARK: Stalls

    private var nextSweep: Instant = Instant(nanoseconds: 0)

    private func sweepIfDue(now: Instant) {
        guard now >= nextSweep else { return }
        nextSweep = now + Self.sweep
        // One may take others along: each is looked at only if it is still running when its turn comes.
        for transfer in Array(transfers.values) where transfer.easy != nil {
            countBytes(transfer)
            if let stoppedAt = transfer.stoppedAt {
                // The rest of a body that nobody wants: not worth more time.
                if now - stoppedAt >= Self.remainderPatience { end(transfer, .success(())) }
            } else if let upload = transfer.upload {
                watch(upload, of: transfer, now: now)
            } else if !transfer.isPaused {
                watch(transfer, now: now)
            }
        }
        queues = queues.filter { !$0.value.isIdle || $0.value.pausedUntil > now || $0.value.isMultiplexed }
    }

    private func watch(_ transfer: Transfer, now: Instant) {
        if hasStalled(transfer, after: configuration.stallTimeout, now: now) {
            end(transfer, .failure(.stalled))
        } else if now - transfer.lastByte >= Self.reusedPatience, transfer.isConnected, !transfer.hasAnswer,
            !transfer.hasRepeated, transfer.easy?.number(CURLINFO_NUM_CONNECTS) == 0
        {
            leaveConnection(of: transfer, now: now)
        }
    }

    /// Until there is a connection, `connectTimeout` counts, by libcurl's own clock.
    func hasStalled(_ transfer: Transfer, after patience: Duration, now: Instant) -> Bool {
        now - transfer.lastByte >= patience + (transfer.isConnected ? .zero : configuration.connectTimeout)
    }

    /// Sends again what went over a connection that seems dead. libcurl closes one of HTTP/1.1 with its transfer; one of
    /// HTTP/2 only once all who share it have left, and until then it would choose it again.
    private func leaveConnection(of transfer: Transfer, now: Instant) {
        let origin = transfer.url.origin
        let sharers = (queues[origin]?.sharingIDs ?? []).compactMap { transfers[$0] }
        guard sharers.contains(where: { $0 === transfer }) else {
            return resend(transfer) { $0.repeatOnce(fresh: true) }
        }
        let heard = sharers.filter(\.hasAnswer).map(\.lastByte) + [queues[origin]?.lastHeard].compactMap { $0 }
        // Where others are answered, this one is just slow.
        guard heard.allSatisfy({ now - $0 >= Self.reusedPatience }) else { return }
        for sharer in sharers {
            sharer.easy?.set(CURLOPT_FORBID_REUSE, 1)
            if sharer.hasDeliveredHead {
                end(sharer, .failure(.cut(received: sharer.bytesReceived)))
            } else {
                resend(sharer) { $0.repeatOnce(fresh: false) }
            }
        }
    }
}
