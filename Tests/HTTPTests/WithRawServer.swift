import HTTP
import Platform

/// Runs `body` with a client and a server that plays `serve` on each connection; afterwards both have ended.
func withRawServer(
    serve: @escaping @Sendable (RawConnection) -> Void,
    configure: (inout HTTPConfiguration, RawServer) -> Void = { _, _ in },
    body: (HTTPClient, RawServer) async throws -> Void
) async throws {
    let server = try RawServer(serve)
    defer { server.stop() }
    var configuration = HTTPConfiguration(userAgent: "skyfs-test/1", log: Log(.nowhere))
    configure(&configuration, server)
    let client = try HTTPClient(configuration)
    defer { client.shutdown() }
    try await body(client, server)
}

/// What a server got, in order; from any thread.
final class Received<Value: Sendable>: Sendable {
    private let values = Lock<[Value]>([])

    func add(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}

extension RawConnection {
    /// Answers every whole form that comes on this connection.
    func serveForms(_ answer: (RawConnection.Form) -> Void) {
        while let form = readForm() { answer(form) }
    }
}

extension HTTPClient {
    /// Sends and waits for the end.
    func run(_ form: FormUpload, _ observer: RecordingObserver = RecordingObserver()) async -> RecordingObserver.Record
    {
        _ = upload(form, observer)
        return await observer.finished()
    }
}
