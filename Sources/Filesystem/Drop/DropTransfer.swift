import HTTP
import Platform
import Uploads

/// One file on its way to the server. Any thread.
final class DropTransfer: UploadObserver {
    private struct State {
        var id: TransferID?
        var isCancelled = false
        var sent: Int64 = 0
        var total: Int64 = 0
    }

    let send: UploadSend
    private let content: FileContent
    private let state = Lock(State())
    private let ended: @Sendable (UploadResult) -> Void

    /// - Parameter ended: called once, on the network thread.
    init(_ send: UploadSend, content: FileContent, ended: @escaping @Sendable (UploadResult) -> Void) {
        self.send = send
        self.content = content
        self.ended = ended
    }

    /// Bytes of the form that have gone out, and its size; 0 before it began.
    var progress: (sent: Int64, total: Int64) { state.withLock { ($0.sent, $0.total) } }

    func begin(_ form: FormUpload, _ client: HTTPClient) {
        let id = client.upload(form, self)
        let isCancelled = state.withLock { state in
            state.id = id
            return state.isCancelled
        }
        if isCancelled { client.cancel(id) }
    }

    /// The file is about to change: from here on nothing more of it goes out. Never blocks.
    func invalidate() { content.invalidate() }

    func cancel(_ client: HTTPClient) {
        let id = state.withLock { state in
            state.isCancelled = true
            return state.id
        }
        if let id { client.cancel(id) }
    }

    func progressed(sent: Int64, total: Int64) {
        state.withLock { state in
            state.sent = sent
            state.total = total
        }
    }

    func finish(_ result: UploadResult) { ended(result) }
}
