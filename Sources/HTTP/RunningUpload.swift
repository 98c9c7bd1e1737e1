import Platform

/// One upload on its way: what has gone out, and the answer as it comes.
// SAFETY: confined to the network thread, like the transfer it belongs to.
final class RunningUpload: ResponseConsumer, @unchecked Sendable {
    let form: FormUpload
    private let observer: any UploadObserver
    /// Of the present try; nil between tries.
    var body: FormBody?
    /// Whether a 401 to the present try that offers Digest is worth another one.
    var mayUseDigest = false
    /// Whether the present origin asked for Digest.
    var usesDigest = false
    /// Bytes of the form given to the connection in the present try.
    private(set) var sent: Int64 = 0
    /// Size of the form; 0 until libcurl has said it.
    private var total: Int64 = 0
    /// Of `sent`, what the counters do not have yet.
    private var uncounted: Int64 = 0
    private var lastReport = Instant(nanoseconds: 0)
    private var head: ResponseHead?
    private var answer: [UInt8] = []
    /// Since when only the rest of the answer is missing.
    private var onlyAnswerSince: Instant?

    /// Bytes of an answer that are kept.
    private static let maximumAnswer = 64 * 1024
    private static let reportInterval = Duration.milliseconds(100)

    init(_ form: FormUpload, _ observer: any UploadObserver) {
        self.form = form
        self.observer = observer
    }

    var request: Request {
        var request = Request(.post, form.url, purpose: .demand)
        request.headers = form.headers
        return request
    }

    var isFullySent: Bool { total > 0 && sent == total }

    /// Before each try.
    func begin(_ body: FormBody) {
        self.body = body
        sent = 0
        total = 0
    }

    /// - Returns: whether more has gone out than before.
    func noteSent(_ sent: Int64, of total: Int64, now: Instant) -> Bool {
        // libcurl counts anew when it begins again by itself, but what went out went out.
        guard total > 0, sent > self.sent else { return false }
        uncounted += sent - self.sent
        self.sent = sent
        self.total = total
        if isFullySent || now - lastReport >= Self.reportInterval {
            lastReport = now
            observer.progressed(sent: sent, total: total)
        }
        return true
    }

    /// Takes the count of bytes that went out since the last call.
    func takeUncounted() -> Int64 {
        defer { uncounted = 0 }
        return uncounted
    }

    /// Whether the answer has been coming for so long that its rest is no longer waited for.
    func isOverdue(now: Instant, patience: Duration) -> Bool {
        guard let head, isRefusal(head) || isFullySent else { return false }
        let start = onlyAnswerSince ?? now
        onlyAnswerSince = start
        return now - start >= patience
    }

    /// libcurl sends nothing more after such a head.
    private func isRefusal(_ head: ResponseHead) -> Bool { head.status >= 300 }

    func receive(head: ResponseHead) -> Bool {
        self.head = head
        return true
    }

    /// Takes bytes beyond the limit too while the form still goes out.
    func receive(body: RawSpan) -> Bool {
        let room = Self.maximumAnswer - answer.count
        body.withUnsafeBytes { answer.append(contentsOf: $0.prefix(room)) }
        return body.byteCount <= room || !(isFullySent || head.map(isRefusal) ?? false)
    }

    func finish(_ outcome: Result<Void, TransferError>) { observer.finish(result(of: outcome)) }

    private func result(of outcome: Result<Void, TransferError>) -> UploadResult {
        guard let head else {
            switch outcome {
            // The server sent the form elsewhere: it is not the one that has it.
            case .failure(let error) where error == .tooManyRedirects || error.isRefusedRedirect:
                return .failed(error, isFullySent: false)
            case .failure(let error): return .failed(error, isFullySent: isFullySent)
            case .success: return .failed(.noAnswer("no head"), isFullySent: isFullySent)
            }
        }
        switch outcome {
        case .failure(.cancelled): return .failed(.cancelled, isFullySent: isFullySent)
        // Servers often close before a refused form is all sent: what arrived of their words is the answer.
        case _ where isRefusal(head): return .answered(Response(head: head, body: answer))
        case .failure(let error): return .failed(error, isFullySent: isFullySent)
        // Nobody can have stored what was not sent.
        case .success where !isFullySent:
            return .failed(
                .other("the server answered \(head.status) before it had the whole form"), isFullySent: false)
        case .success: return .answered(Response(head: head, body: answer))
        }
    }
}

extension TransferError {
    fileprivate var isRefusedRedirect: Bool { if case .refusedRedirect = self { true } else { false } }
}
