import HTTP
import Platform

/// Keeps what it is told, and lets a test wait for the end.
final class RecordingConsumer: ResponseConsumer {
    struct Record: Sendable {
        var heads: [ResponseHead] = []
        var body: [UInt8] = []
        var outcome: Result<Void, TransferError>?
        var finishes = 0

        var status: Int? { heads.first?.status }
        var error: TransferError? { if case .failure(let error) = outcome { error } else { nil } }
        var isSuccess: Bool { if case .success = outcome { true } else { false } }
    }

    private struct State {
        var record = Record()
        var waiters: [CheckedContinuation<Record, Never>] = []
    }

    private let state = Lock(State())
    private let acceptsHead: @Sendable (ResponseHead) -> Bool
    private let maximumBody: Int

    /// - Parameters:
    ///   - maximumBody: stops once that many bytes are there.
    ///   - acceptsHead: false stops at the head.
    init(maximumBody: Int = .max, acceptsHead: @escaping @Sendable (ResponseHead) -> Bool = { _ in true }) {
        self.maximumBody = maximumBody
        self.acceptsHead = acceptsHead
    }

    func receive(head: ResponseHead) -> Bool {
        state.withLock { $0.record.heads.append(head) }
        return acceptsHead(head)
    }

    func receive(body: RawSpan) -> Bool {
        state.withLock { state in
            body.withUnsafeBytes { state.record.body.append(contentsOf: $0) }
            return state.record.body.count < maximumBody
        }
    }

    func finish(_ outcome: Result<Void, TransferError>) {
        let (record, waiters) = state.withLock { state in
            state.record.outcome = outcome
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
                if state.record.outcome != nil { return state.record }
                state.waiters.append(continuation)
                return nil
            }
            if let record { continuation.resume(returning: record) }
        }
    }
}
