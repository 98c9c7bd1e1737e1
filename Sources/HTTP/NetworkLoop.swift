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
    private let configuration: HTTPConfiguration
    private let multi: UnsafeMutableRawPointer
    private var identities: OriginIdentities
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

    func wake() { curl_multi_wakeup(multi) }

    func run(_ commands: () -> [HTTPClient.Command]) {
        while true {
            for command in commands() { execute(command) }
            if isClosing { break }
            let now = Instant.now()
            while let job = timers.next(now: now) { job() }
            admit(now: now)
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            takeMessages()
            admit(now: .now())
            sweepIfDue(now: .now())
            curl_multi_poll(multi, nil, 0, Int32(clamping: pollTime().wholeNanoseconds / 1_000_000 + 1), nil)
        }
        for transfer in transfers.values {
            detach(transfer)
            transfer.consumer.finish(.failure(.cancelled))
        }
        transfers = [:]
        // What consumers asked for while they were told.
        for case .start(_, _, let consumer) in commands() { consumer.finish(.failure(.cancelled)) }
        idleHandles = []
        curl_multi_cleanup(multi)
        identities.removeAll()
    }

    private func execute(_ command: HTTPClient.Command) {
        switch command {
        case .start(let id, let request, let consumer):
            let transfer = Transfer(id: id, request: request, consumer: consumer, now: .now()) { [unowned self] in
                noteBytes($0, $1, $2)
            }
            transfers[id] = transfer
            guard request.hasSafeHeaders else {
                return end(transfer, .failure(.other("a header holds a control character")))
            }
            enqueue(transfer)
        case .cancel(let id):
            guard let transfer = transfers[id] else { return }
            end(transfer, .failure(.cancelled))
        case .pause(let id, let isPaused):
            guard let transfer = transfers[id] else { return }
            transfer.isPaused = isPaused
            if let easy = transfer.easy { curl_easy_pause(easy.pointer, isPaused ? CURLPAUSE_RECV : CURLPAUSE_CONT) }
        case .schedule(let id, let due, let job): timers.add(id, due: due, job)
        case .cancelTimer(let id): timers.remove(id)
        case .shutdown: isClosing = true
        }
    }

    // MARK: Scheduling

    private func enqueue(_ transfer: Transfer) {
        queues[transfer.url.origin, default: HostQueue(connections: configuration.connectionsPerHost)]
            .enqueue(transfer.id, transfer.request.purpose, resource: transfer.request.resource)
        updateCounts()
    }

    private func admit(now: Instant) {
        for origin in queues.keys {
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

    private func noteBytes(_ transfer: Transfer, _ count: Int, _ now: Instant) {
        queues[transfer.url.origin]?.noteByte(transfer.id, now: now)
        statistics.withLock { $0.bytesReceived += Int64(count) }
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
        configure(easy, transfer)
        statistics.withLock { $0.requests += 1 }
        let code = curl_multi_add_handle(multi, easy.pointer)
        if code != CURLM_OK { end(transfer, .failure(.other(String(cString: curl_multi_strerror(code))))) }
    }

    private func configure(_ easy: EasyHandle, _ transfer: Transfer) {
        let request = transfer.request
        curl_easy_reset(easy.pointer)
        easy.setCallbacks(transfer)
        easy.set(CURLOPT_URL, transfer.url.text)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_QUICK_EXIT, 1)
        easy.set(CURLOPT_TCP_NODELAY, 1)
        easy.set(CURLOPT_PATH_AS_IS, 1)
        easy.set(CURLOPT_HTTP09_ALLOWED, 0)
        easy.set(CURLOPT_MAXAGE_CONN, 30)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(configuration.connectTimeout.wholeNanoseconds / 1_000_000))
        easy.set(CURLOPT_USERAGENT, configuration.userAgent)
        // Sends "Accept-Encoding: identity" and still undoes a coding that comes all the same.
        easy.set(CURLOPT_ACCEPT_ENCODING, "identity")
        easy.set(CURLOPT_HTTP_CONTENT_DECODING, request.decodesContent ? 1 : 0)
        if request.method == .head { easy.set(CURLOPT_NOBODY, 1) }
        if let range = request.range { easy.set(CURLOPT_RANGE, "\(range.lowerBound)-\(range.upperBound - 1)") }
        if transfer.hasRepeatedFresh { easy.set(CURLOPT_FRESH_CONNECT, 1) }
        let isMetadata = request.purpose == .metadata
        easy.set(CURLOPT_BUFFERSIZE, isMetadata ? 16 * 1024 : 512 * 1024)
        if isMetadata, transfer.url.origin.scheme == "https" {
            easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
            easy.set(CURLOPT_PIPEWAIT, 1)
        } else {
            easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        }
        var lines = request.headers.map { "\($0.name): \($0.value)" }
        if let tag = request.ifMatch { lines.append("If-Match: \(tag)") }
        transfer.headers = lines.reduce(nil) { curl_slist_append($0, $1) }
        easy.set(CURLOPT_HTTPHEADER, transfer.headers)
        identities.apply(to: easy, for: transfer.url.origin)
    }

    private func detach(_ transfer: Transfer) {
        queues[transfer.url.origin]?.remove(transfer.id)
        if let easy = transfer.easy {
            curl_multi_remove_handle(multi, easy.pointer)
            transfer.easy = nil
            if idleHandles.count < Self.maximumIdleHandles { idleHandles.append(easy) }
        }
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
            // SAFETY: `setCallbacks` stored the transfer, which `transfers` keeps alive until `end`.
            finished(Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue(), code)
        }
    }

    private func finished(_ transfer: Transfer, _ code: CURLcode) {
        let isReused = noteConnections(transfer)
        if transfer.isStopped { return end(transfer, .success(())) }
        if let failure = transfer.failure { return end(transfer, .failure(failure)) }
        guard code == CURLE_OK || (transfer.isPassedOver && code == CURLE_WRITE_ERROR) else {
            let isClosed = [CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR].contains(code)
            if isReused, isClosed, !transfer.hasAnswer { return repeatFresh(transfer) }
            return end(transfer, .failure(TransferError(code, transfer)))
        }
        identities.note(transfer.easy, origin: transfer.url.origin, status: transfer.head.status)
        noteVersion(transfer)
        switch transfer.redirect {
        case .follow(let target): return follow(transfer, target)
        case .refuse(let error): return end(transfer, .failure(error))
        case .none: break
        }
        if transfer.returnsToOriginal() { return resend(transfer) }
        if !transfer.hasDeliveredHead { _ = transfer.deliverHead() }
        if let failure = transfer.failure { return end(transfer, .failure(failure)) }
        end(transfer, .success(()))
    }

    /// - Returns: whether the try went over a connection that was used before.
    private func noteConnections(_ transfer: Transfer) -> Bool {
        let opened = transfer.easy?.number(CURLINFO_NUM_CONNECTS) ?? 0
        if opened > 0 { statistics.withLock { $0.connectionsOpened += opened } }
        return opened == 0
    }

    private func noteVersion(_ transfer: Transfer) {
        guard transfer.request.purpose == .metadata, let easy = transfer.easy else { return }
        queues[transfer.url.origin]?.isMultiplexed = easy.number(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
    }

    private func follow(_ transfer: Transfer, _ target: HTTPURL) {
        detach(transfer)
        transfer.follow(target)
        enqueue(transfer)
    }

    private func resend(_ transfer: Transfer) {
        detach(transfer)
        enqueue(transfer)
    }

    private func repeatFresh(_ transfer: Transfer) {
        guard !transfer.hasRepeatedFresh else { return end(transfer, .failure(.noAnswer("the connection was closed"))) }
        transfer.hasRepeatedFresh = true
        resend(transfer)
    }

    private func end(_ transfer: Transfer, _ outcome: Result<Void, TransferError>) {
        noteHealth(transfer, outcome)
        detach(transfer)
        transfers[transfer.id] = nil
        updateCounts()
        transfer.consumer.finish(outcome)
    }

    private func noteHealth(_ transfer: Transfer, _ outcome: Result<Void, TransferError>) {
        let origin = transfer.url.origin
        if case .failure(let error) = outcome, error != .cancelled {
            health.withLock { $0[origin, default: HealthEntry()].error = error }
        } else if transfer.hasAnswer {
            health.withLock { if $0[origin] != nil { $0[origin]?.error = nil } }
        }
        guard [429, 503].contains(transfer.head.status),
            let head = try? transfer.head.head(url: transfer.url, now: Int64(time(nil))), let pause = head.retryAfter
        else { return }
        let until = Instant.now() + min(pause, .seconds(120))
        queues[origin]?.pause(until: until)
        health.withLock { $0[origin, default: HealthEntry()].pausedUntil = until }
    }

    // MARK: Stalls

    private var nextSweep: Instant = Instant(nanoseconds: 0)

    private func sweepIfDue(now: Instant) {
        guard now >= nextSweep else { return }
        nextSweep = now + Self.sweep
        for transfer in Array(transfers.values) where transfer.easy != nil && !transfer.isPaused {
            let silence = now - transfer.lastByte
            if silence >= configuration.stallTimeout {
                end(transfer, .failure(.stalled))
            } else if silence >= Self.reusedPatience, !transfer.hasAnswer, !transfer.hasRepeatedFresh,
                isOnReusedConnection(transfer)
            {
                transfer.hasRepeatedFresh = true
                resend(transfer)
            }
        }
        queues = queues.filter { !$0.value.isIdle || $0.value.pausedUntil > now || $0.value.isMultiplexed }
    }

    /// Only once the request is on a connection; while it connects, `connectTimeout` counts.
    private func isOnReusedConnection(_ transfer: Transfer) -> Bool {
        guard let easy = transfer.easy else { return false }
        return easy.number(CURLINFO_NUM_CONNECTS) == 0 && easy.number(CURLINFO_PRIMARY_PORT) != 0
    }
}

extension TransferError {
    /// What libcurl's code means for a transfer.
    fileprivate init(_ code: CURLcode, _ transfer: Transfer) {
        let words = String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .notResolved(words)
        case CURLE_COULDNT_CONNECT: self = .notConnected(words)
        case CURLE_OPERATION_TIMEDOUT: self = .notConnected("connecting took too long")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND:
            self = .tls(words)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_OUT_OF_MEMORY:
            self = .badHead(words)
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = transfer.hasDeliveredHead ? .cut(received: transfer.bytesReceived) : .noAnswer(words)
        default: self = .other(words)
        }
    }
}
