import HTTP
import Platform

/// Keeps what it is told of an upload, and lets a test wait for the end.
final class RecordingObserver: UploadObserver {
    struct Record: Sendable {
        var progress: [(sent: Int64, total: Int64)] = []
        var result: UploadResult?
        var finishes = 0

        var response: Response? { if case .answered(let response) = result { response } else { nil } }
        var status: Int? { response?.head.status }
        var text: String? { response.map { String(decoding: $0.body, as: UTF8.self) } }
        var error: TransferError? { if case .failed(let error, _) = result { error } else { nil } }
        var isFullySent: Bool? { if case .failed(_, let isFullySent) = result { isFullySent } else { nil } }
    }

    private struct State {
        var record = Record()
        var waiters: [CheckedContinuation<Record, Never>] = []
    }

    private let state = Lock(State())

    func progressed(sent: Int64, total: Int64) {
        state.withLock { $0.record.progress.append((sent, total)) }
    }

    func finish(_ result: UploadResult) {
        let (record, waiters) = state.withLock { state in
            state.record.result = result
            state.record.finishes += 1
            defer { state.waiters = [] }
            return (state.record, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: record) }
    }

    /// What there is so far.
    var record: Record { state.withLock { $0.record } }

    /// What there is at the end. Suites that wait have a time limit.
    func finished() async -> Record {
        await withCheckedContinuation { continuation in
            let record: Record? = state.withLock { state in
                if state.record.result != nil { return state.record }
                state.waiters.append(continuation)
                return nil
            }
            if let record { continuation.resume(returning: record) }
        }
    }
}
