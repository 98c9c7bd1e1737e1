import HTTP
import LoopbackServer
import Platform
import Testing

/// Runs `body` with a client and a server of its own; afterwards both have ended.
func withClient(
    _ configure: (inout HTTPConfiguration) -> Void = { _ in },
    _ body: (HTTPClient, LoopbackServer) async throws -> Void
) async throws {
    var configuration = HTTPConfiguration(userAgent: "skyfs-test/1", log: Log(.nowhere))
    configure(&configuration)
    let server = try LoopbackServer()
    let client = try HTTPClient(configuration)
    defer {
        client.shutdown()
        server.stop()
    }
    try await body(client, server)
}

/// Waits for something another thread does.
func eventually(within limit: Duration = .seconds(20), _ condition: () -> Bool) async -> Bool {
    // Time in which this task did not get to run, because others keep the machine busy, does not count.
    var remaining = limit
    var last = Instant.now()
    while !condition() {
        if remaining <= .zero { return false }
        try? await Task.sleep(for: .milliseconds(5))
        let now = Instant.now()
        remaining -= min(now - last, .milliseconds(50))
        last = now
    }
    return true
}

extension LoopbackServer {
    func request(_ target: String, _ purpose: Request.Purpose = .demand, _ method: Request.Method = .get) throws
        -> Request
    {
        Request(method, try HTTPURL.parse(url + target).url, purpose: purpose)
    }

    func requests(_ target: String) -> [LoggedRequest] { log.filter { $0.target == target } }
}

extension HTTPClient {
    /// Sends and waits for the end.
    func run(_ request: Request, _ consumer: RecordingConsumer = RecordingConsumer()) async -> RecordingConsumer.Record
    {
        _ = start(request, consumer)
        return await consumer.finished()
    }

    func answer(
        _ request: Request, limit: Int = 1 << 20, patience: Duration = .seconds(30),
        keepsBody: @escaping @Sendable (ResponseHead) -> Bool = { _ in true }
    ) async -> Result<Response, TransferError> {
        await withCheckedContinuation { continuation in
            fetch(request, limit: limit, patience: patience, keepsBody: keepsBody) {
                continuation.resume(returning: $0)
            }
        }
    }
}

extension Result where Success == Response, Failure == TransferError {
    var status: Int? { if case .success(let response) = self { response.head.status } else { nil } }
    var error: TransferError? { if case .failure(let error) = self { error } else { nil } }
}

func pattern(_ range: Range<Int64>) -> [UInt8] { Pattern.bytes(range) }

extension Trait where Self == TimeLimitTrait {
    /// What waits for a network event ends all the same.
    static var bounded: TimeLimitTrait { .timeLimit(.minutes(2)) }
}
