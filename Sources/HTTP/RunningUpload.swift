import Platform

/// One upload on its way: what has gone out, and the answer as it comes.
// SAFETY: confined to the network thread, like the transfer it belongs to.
final class RunningUpload: ResponseConsumer, @unchecked Sendable {
    let form: FormUpload
    private let observer: any UploadObserver
    /// Of the present try; nil between tries.
    var body: FormBody?
    /// Bytes of the form given to the connection in the present try, and the size of the form.
    private(set) var sent: Int64 = 0
    private(set) var total: Int64 = -1
    private var head: ResponseHead?
    private var answer: [UInt8] = []

    /// Bytes of an answer that are kept.
    private static let maximumAnswer = 64 * 1024

    init(_ form: FormUpload, _ observer: any UploadObserver) {
        self.form = form
        self.observer = observer
    }

    var request: Request {
        var request = Request(.post, form.url, purpose: .demand)
        request.headers = form.headers
        return request
    }

    var isFullySent: Bool { sent == total }

    /// Before each try.
    func begin() {
        sent = 0
        total = -1
    }

    /// - Returns: how many bytes are new.
    func note(sent: Int64, total: Int64) -> Int64 {
        guard total > 0, sent > self.sent else { return 0 }
        defer {
            self.sent = sent
            self.total = total
            observer.progressed(sent: sent, total: total)
        }
        return sent - self.sent
    }

    func receive(head: ResponseHead) -> Bool {
        self.head = head
        return true
    }

    func receive(body: RawSpan) -> Bool {
        let room = Self.maximumAnswer - answer.count
        body.withUnsafeBytes { answer.append(contentsOf: $0.prefix(room)) }
        return true
    }

    func finish(_ outcome: Result<Void, TransferError>) {
        switch (outcome, head) {
        case (.success, let head?): observer.finish(.answered(Response(head: head, body: answer)))
        case (.success, nil): observer.finish(.failed(.noAnswer("no head"), isFullySent: isFullySent))
        case (.failure(let error), let head?) where head.status >= 300 && error != .cancelled:
            observer.finish(.answered(Response(head: head, body: answer)))
        case (.failure(let error), _): observer.finish(.failed(error, isFullySent: isFullySent))
        }
    }
}
