import CCurl
import Glibc
import Platform

/// One request on its way through redirects and repeated tries to its consumer. Confined to the network thread.
final class Transfer {
    let id: TransferID
    let request: Request
    let consumer: any ResponseConsumer
    /// Where it goes now.
    private(set) var url: HTTPURL
    private(set) var hops = 0
    var easy: EasyHandle?
    var headers: UnsafeMutablePointer<curl_slist>?
    var startedAt: Instant
    private(set) var lastByte: Instant
    private(set) var bytesReceived: Int64 = 0
    private var parser = HeadParser()
    private var isDelivering = false
    private var passedOver = 0
    private static let maximumPassedOver = 64 * 1024
    private(set) var hasDeliveredHead = false
    private(set) var isStopped = false
    private(set) var failure: TransferError?
    /// Address class of the first hop: a public source may not lead to a private one.
    private var sourceClass: AddressClass?
    var hasRepeatedFresh = false
    /// The consumer takes no more bytes for now.
    var isPaused = false {
        didSet { lastByte = .now() }
    }
    private var hasAskedOriginalAgain = false
    /// Told of every delivered byte, for the host's queue and the counters.
    private let onBytes: (Transfer, Int, Instant) -> Void

    init(
        id: TransferID, request: Request, consumer: any ResponseConsumer, now: Instant,
        onBytes: @escaping (Transfer, Int, Instant) -> Void
    ) {
        self.id = id
        self.request = request
        self.consumer = consumer
        self.onBytes = onBytes
        url = request.url
        startedAt = now
        lastByte = now
    }

    var hasAnswer: Bool { parser.status != 0 }
    var head: HeadParser { parser }

    /// Before each try.
    func begin(now: Instant) {
        startedAt = now
        lastByte = now
        parser = HeadParser()
        failure = nil
        passedOver = 0
    }

    /// Whether this answer is not the final one.
    var isPassedOver: Bool { redirect != .none || mayReturnToOriginal }

    // MARK: Callbacks

    func headerLine(_ line: UnsafeRawBufferPointer) {
        lastByte = .now()
        parser.add(line)
    }

    /// - Returns: false to end the transfer.
    func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let now = Instant.now()
        lastByte = now
        if !hasDeliveredHead {
            if isPassedOver {
                // The page of a redirect is of no use; a long one is not worth its time.
                passedOver += bytes.count
                return passedOver < Self.maximumPassedOver
            }
            guard deliverHead() else { return false }
        }
        guard isDelivering else { return false }
        bytesReceived += Int64(bytes.count)
        onBytes(self, bytes.count, now)
        guard consumer.receive(body: RawSpan(_unsafeBytes: bytes)) else {
            isStopped = true
            return false
        }
        return true
    }

    func connected(to address: String) -> Bool {
        let `class` = AddressClass(address)
        guard let sourceClass else {
            self.sourceClass = `class`
            return true
        }
        guard sourceClass == .public, `class` == .private else { return true }
        failure = .refusedRedirect("from a public server to the private address \(address)")
        return false
    }

    /// - Returns: whether the body is wanted.
    func deliverHead() -> Bool {
        hasDeliveredHead = true
        do throws(TransferError) {
            guard parser.isComplete else { throw .badHead("it was cut off") }
            let head = try parser.head(url: url, now: Int64(time(nil)))
            isDelivering = consumer.receive(head: head)
            isStopped = !isDelivering
        } catch {
            failure = error
        }
        return isDelivering
    }

    // MARK: Redirects

    var redirect: RedirectStep {
        RedirectStep(status: parser.status, location: parser.value("location"), from: url, hops: hops)
    }

    func follow(_ target: HTTPURL) {
        url = target
        hops += 1
    }

    private var mayReturnToOriginal: Bool {
        hops > 0 && !hasAskedOriginalAgain && [401, 403, 410].contains(parser.status)
    }

    /// A redirected target that says 401, 403 or 410 may be a signed link that ran out: the original gives a new one.
    func returnsToOriginal() -> Bool {
        guard mayReturnToOriginal else { return false }
        hasAskedOriginalAgain = true
        url = request.url
        hops = 0
        return true
    }
}
