import CCurl
import Glibc
import Platform

/// One request on its way through redirects and repeated tries to its consumer. Confined to the network thread.
final class Transfer {
    let id: TransferID
    let request: Request
    let consumer: any ResponseConsumer
    /// What it sends; nil if it only asks.
    let upload: RunningUpload?
    /// Where it goes now.
    private(set) var url: HTTPURL
    private(set) var hops = 0
    var easy: EasyHandle?
    var headers: UnsafeMutablePointer<curl_slist>?
    private(set) var lastByte: Instant
    /// Body bytes given to the consumer.
    private(set) var bytesReceived: Int64 = 0
    /// Of these, what the counters do not have yet.
    private var bytesUncounted = 0
    private(set) var hasDeliveredHead = false
    /// When the consumer said that it wants nothing more.
    private(set) var stoppedAt: Instant?
    private(set) var failure: TransferError?
    /// Whether it was sent again because its connection was dead; once is enough.
    private(set) var hasRepeated = false
    /// Whether the next try must not use a connection that was used before.
    private(set) var wantsFreshConnection = false
    /// The consumer takes no more bytes for now.
    var isPaused = false {
        didSet { lastByte = .now() }
    }
    /// Whether this try is on a connection: connecting has a limit of its own.
    private(set) var isConnected = false

    private var parser = HeadParser()
    private var hasBody = false
    private var passedOver = 0
    /// Address class of the first hop: a public source may not lead to a private one.
    private var sourceClass: AddressClass?
    private var hasAskedOriginalAgain = false

    /// A body that nobody wants (a redirect's page, an error's) is read to its end up to this size, so that its
    /// connection can be used again; what is longer costs more time than a new connection.
    private static let maximumPassedOver = 64 * 1024

    init(
        id: TransferID, request: Request, consumer: any ResponseConsumer, upload: RunningUpload? = nil, now: Instant
    ) {
        self.id = id
        self.request = request
        self.consumer = consumer
        self.upload = upload
        url = request.url
        lastByte = now
        wantsFreshConnection = !request.isRepeated
    }

    /// Whether any answer to this try has begun.
    var hasAnswer: Bool { parser.status != 0 }
    var status: Int { parser.status }
    /// The head of this try's answer; nil if it has none that can be believed.
    var head: ResponseHead? { try? ResponseHead(parser, url: url, now: Int64(time(nil))) }

    /// Before each try.
    func begin(now: Instant) {
        lastByte = now
        parser = HeadParser()
        failure = nil
        hasBody = false
        passedOver = 0
        isConnected = false
    }

    /// Whether a whole answer came that leads elsewhere: nothing of its body matters.
    var isPassedOver: Bool { parser.isComplete && (mayReturnToOriginal || mayLogInAgain || redirect != .none) }

    /// Takes the count of body bytes since the last call.
    func takeUncounted() -> Int {
        defer { bytesUncounted = 0 }
        return bytesUncounted
    }

    /// Bytes of an upload went out.
    func noteSent(_ sent: Int64, of total: Int64, now: Instant) {
        if upload?.noteSent(sent, of: total, now: now) ?? false { lastByte = now }
    }

    /// Whether the same request sent once more does no harm: of an upload, nothing may have gone out.
    var mayBeRepeated: Bool { upload.map { $0.sent == 0 } ?? true }

    /// - Parameter fresh: over a new connection of its own.
    func repeatOnce(fresh: Bool) {
        hasRepeated = true
        wantsFreshConnection = fresh
    }

    // MARK: Callbacks

    /// - Returns: whether the request may be sent to that address.
    func connected(to address: String, now: Instant) -> Bool {
        lastByte = now
        isConnected = true
        let addressClass = AddressClass(address)
        guard hops > 0, let sourceClass else {
            sourceClass = addressClass
            return true
        }
        guard sourceClass == .public, addressClass == .private else { return true }
        failure = .refusedRedirect("from a public server to the private address \(address)")
        return false
    }

    /// - Returns: false to end the try.
    func headerLine(_ line: UnsafeRawBufferPointer, now: Instant) -> Bool {
        lastByte = now
        // What follows the body are trailer fields; they change nothing.
        if hasBody { return true }
        parser.add(line)
        if let reason = parser.failure {
            failure = .badHead(reason)
            return false
        }
        // After 401 and 407 libcurl may ask again by itself; their head is final once a body or the end follows.
        guard parser.isComplete, ![401, 407].contains(parser.status), !isPassedOver else { return true }
        return deliverHead()
    }

    enum BodyStep { case goOn, stop, pause }

    func body(_ bytes: UnsafeRawBufferPointer, now: Instant) -> BodyStep {
        if isPaused { return .pause }
        lastByte = now
        hasBody = true
        if !hasDeliveredHead, !isPassedOver, !deliverHead() { return .stop }
        guard hasDeliveredHead, stoppedAt == nil else {
            passedOver += bytes.count
            return passedOver <= Self.maximumPassedOver ? .goOn : .stop
        }
        bytesReceived += Int64(bytes.count)
        bytesUncounted += bytes.count
        if consumer.receive(body: RawSpan(_unsafeBytes: bytes)) { return .goOn }
        stoppedAt = now
        return .stop
    }

    /// The same if the whole head is there, also of an answer that ended in a fault.
    func deliverCompleteHead() { if parser.isComplete { _ = deliverHead() } }

    /// Gives the final answer's head to the consumer, if that has not been done.
    /// - Returns: false to end the try.
    func deliverHead() -> Bool {
        guard !hasDeliveredHead else { return true }
        do throws(TransferError) {
            let head = try ResponseHead(parser, url: url, now: Int64(time(nil)))
            hasDeliveredHead = true
            if consumer.receive(head: head) { return true }
            stoppedAt = .now()
            return request.method == .head || (head.contentLength ?? 0) <= Self.maximumPassedOver
        } catch {
            failure = error
            return false
        }
    }

    // MARK: Redirects

    var redirect: RedirectStep {
        // 301, 302 and 303 do not ask for what was sent again (RFC 9110, 15.4): they are the answer to it.
        if request.method == .post, ![307, 308].contains(parser.status) { return .none }
        return RedirectStep(status: parser.status, location: parser.value("location"), from: url, hops: hops)
    }

    /// Of a POST, what was meant for one server is not for another, and may hold secrets.
    func mustNotLeave(for target: HTTPURL) -> Bool {
        request.method == .post && upload == nil && target.origin != request.url.origin
    }

    func follow(_ target: HTTPURL) {
        url = target
        hops += 1
        wantsFreshConnection = !request.isRepeated
        upload?.usesDigest = false
    }

    /// A redirected target that says 401, 403 or 410 may be a signed link that ran out: the original gives a new one.
    var mayReturnToOriginal: Bool {
        upload == nil && request.isRepeated && hops > 0 && !hasAskedOriginalAgain
            && [401, 403, 410].contains(parser.status)
    }

    /// An upload sends a password the Basic way before it is asked; now it was asked for Digest.
    var mayLogInAgain: Bool {
        upload?.mayUseDigest ?? false && parser.status == 401
            && parser.list("www-authenticate").contains { $0.lowercased().hasPrefix("digest ") }
    }

    func returnToOriginal() {
        hasAskedOriginalAgain = true
        url = request.url
        hops = 0
    }
}
