package import Platform

/// Decides what a request is answered; runs on the connection's thread.
///
/// nil: the responder wrote its answer through the connection itself, which is then closed.
package typealias Responder = @Sendable (ServerRequest, ServerConnection) -> Answer?

/// The same for a request whose body the responder reads itself. If it leaves some of it, the connection is closed after
/// the answer.
package typealias BodyResponder = @Sendable (ServerRequest, RequestBody, ServerConnection) -> Answer?

/// A small HTTP server on 127.0.0.1 that plays exact bytes and faults, for tests and the demo.
///
/// When a client has received a complete answer, the request is in `log` with its status and bytes.
package final class LoopbackServer: Sendable {
    private struct Rule: Hashable {
        let method: String?
        let target: String
    }

    private enum Action: Sendable {
        case respond(Responder)
        case takeBody(BodyResponder)
    }

    private let acceptor: Lock<Acceptor?> = Lock(nil)
    private let rules: Lock<[Rule: Action]> = Lock([:])
    private let requests = RequestLog()
    private let connections = ConnectionCounter()

    /// The port, the same after `stop` and `start`.
    package let port: Int
    /// "http://127.0.0.1:PORT", without a slash at the end.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// Listens at once; every request is answered 404 until there are responders.
    /// - Parameter port: 0 for any free one.
    package init(port: Int = 0) throws(Errno) {
        let (rules, requests) = (rules, requests)
        let acceptor = try Acceptor(port: port, counter: connections) { Self.serve($0, rules, requests) }
        self.port = acceptor.port
        self.acceptor.withLock { $0 = acceptor }
    }

    deinit { stop() }

    /// Sets who answers a target; replaces what was set before for the same target and method. From any thread.
    /// - Parameters:
    ///   - target: the raw request target, query included; "*" stands for all that have no responder of their own.
    ///   - method: nil for every method that has no responder of its own here.
    package func on(_ target: String, method: String? = nil, _ responder: @escaping Responder) {
        rules.withLock { $0[Rule(method: method, target: target)] = .respond(responder) }
    }

    /// The same with a responder that reads the body itself, so that it can be of any size, slow, or never read.
    /// A client that waits for "100 Continue" gets it only from the responder; the body is not in the log.
    package func onBody(_ target: String, method: String? = nil, _ responder: @escaping BodyResponder) {
        rules.withLock { $0[Rule(method: method, target: target)] = .takeBody(responder) }
    }

    /// The same answer every time.
    package func on(_ target: String, method: String? = nil, _ answer: Answer) {
        on(target, method: method) { _, _ in answer }
    }

    /// Closes the listener and all connections, whatever they are doing; returns when all threads have ended. A responder
    /// that waits for something other than its connection holds it up.
    package func stop() {
        let acceptor = acceptor.withLock { $0.take() }
        acceptor?.stop()
    }

    /// Listens again on the same port. Does nothing while the server runs.
    package func start() throws(Errno) {
        let (rules, requests) = (rules, requests)
        try acceptor.withLock { acceptor throws(Errno) in
            guard acceptor == nil else { return }
            acceptor = try Acceptor(port: port, counter: connections) { Self.serve($0, rules, requests) }
        }
    }

    /// The requests in the order their heads arrived. One that is still under way has no status yet.
    package var log: [LoggedRequest] { requests.requests }

    /// Forgets log, request counts, maxima and the number of connections.
    package func clearLog() {
        requests.clear()
        connections.reset()
    }

    /// Requests and body bytes since the server was made; `clearLog` does not touch them.
    package var totals: (requests: Int, bytes: Int64) { requests.totals }
    /// Connections accepted since `clearLog`.
    package var connectionsOpened: Int { connections.total }
    /// The most connections open at once. One that the client has just closed may still be counted.
    package var maximumConcurrentConnections: Int { connections.maximum }
    /// The most requests that were under way at once: their head read, the last byte of the answer not yet sent.
    package var maximumConcurrentRequests: Int { requests.maximumUnderWay }

    private static func serve(_ connection: ServerConnection, _ rules: Lock<[Rule: Action]>, _ log: RequestLog) {
        let reader = RequestReader(connection)
        var number = 0
        do throws(any Error) {
            repeat {
                var request = try reader.readHead()
                request.connection = connection.number
                request.connectionRequest = number
                number += 1
                let entry = log.begin(&request)
                defer { log.end(entry) }
                let writer = AnswerWriter(connection: connection, log: log, entry: entry)
                let answer: Answer?
                do {
                    let action = rules.withLock { Self.action(for: request, in: $0) }
                    if case .takeBody(let take) = action {
                        let body = RequestBody(reader, length: try RequestReader.length(ofBody: request))
                        let given = take(request, body, connection)
                        answer = body.remaining > 0 ? given?.with(.closes) : given
                    } else {
                        request.body = try reader.readBody(of: request)
                        if !request.body.isEmpty { log.setBody(entry, request.body) }
                        if case .respond(let respond) = action {
                            answer = respond(request, connection)
                        } else {
                            answer = Answer(status: 404)
                        }
                    }
                } catch RequestReader.Failure.refused(let status) {
                    answer = Answer(status: status).with(.closes)
                }
                guard let answer, try writer.send(AnswerPlan(answer, for: request)) else { return }
            } while true
        } catch RequestReader.Failure.refused(let status) {
            // Not even a head: nothing to log, but the client learns why.
            try? connection.write(Array("HTTP/1.1 \(status) Refused\r\nContent-Length: 0\r\n\r\n".utf8))
        } catch {
            // The peer is gone or the server stops; there is no one to tell.
        }
    }

    private static func action(for request: ServerRequest, in rules: [Rule: Action]) -> Action? {
        rules[Rule(method: request.method, target: request.target)] ?? rules[Rule(method: nil, target: request.target)]
            ?? rules[Rule(method: request.method, target: "*")] ?? rules[Rule(method: nil, target: "*")]
    }
}
