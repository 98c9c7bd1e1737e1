import Platform

/// A URL that takes files as browsers send them, one multipart/form-data POST each, and remembers exactly what came.
///
/// It outlives the server it hangs at: after `stop` and `start` of the server it goes on.
package final class UploadTarget: Sendable {
    /// Decides by an attempt whose head is read (no byte of the body yet). Runs on the connection's thread.
    package typealias Decision = @Sendable (UploadAttempt) -> UploadBehaviour

    private struct State {
        var attempts: [UploadAttempt] = []
        /// The number of the first of `attempts`.
        var first = 0
        var script: [UploadBehaviour] = []
        var decide: Decision
        var open = 0
        var maximumOpen = 0
    }

    /// The older half is forgotten when so many are remembered: a server may run for days.
    private static let capacity = 20_000
    private static let pieceSize = 262_144

    private let state: Condition<State>
    private let keeping: Int
    private let digests: Bool

    /// Accepts everything until told otherwise.
    /// - Parameters:
    ///   - keeping: how many bytes of each part's content are kept in memory.
    ///   - digests: whether contents are digested. Without optimisation that takes about a second for 20 MB.
    package init(keeping: Int = 65_536, digests: Bool = true) {
        self.keeping = keeping
        self.digests = digests
        state = Condition(State(decide: { _ in .accept }))
    }

    /// Puts the target behind a raw request target of a server, for POST.
    package func install(on server: LoopbackServer, at target: String = "/upload") {
        server.onBody(target, method: "POST") { [self] request, body, connection in
            take(request, body, connection)
        }
    }

    /// The next attempts are treated so, one behaviour each, before what was set with `behave` counts again.
    package func script(_ behaviours: [UploadBehaviour]) { state.update { $0.script = behaviours } }

    /// From now on every attempt is treated so.
    package func behave(_ behaviour: UploadBehaviour) { behave { _ in behaviour } }

    /// From now on every attempt is treated as `decide` says.
    package func behave(_ decide: @escaping Decision) { state.update { $0.decide = decide } }

    /// All POSTs in the order of their heads, those that failed and those under way too.
    package var attempts: [UploadAttempt] { state.update { $0.attempts } }
    /// The uploads that count, in the order of their heads.
    package var uploads: [UploadAttempt] { attempts.filter(\.isKept) }
    /// The most POSTs open at once.
    package var maximumOpen: Int { state.update { $0.maximumOpen } }

    /// Forgets attempts and maxima, not the behaviour.
    package func clear() {
        state.update {
            $0.first += $0.attempts.count
            $0.attempts = []
            $0.maximumOpen = $0.open
        }
    }

    /// Waits until the attempts satisfy.
    /// - Returns: whether they did in time.
    package func wait(atMost limit: Duration = .seconds(60), until isSatisfied: ([UploadAttempt]) -> Bool) -> Bool {
        state.wait(until: { isSatisfied($0.attempts) }, before: .now() + limit) { _ in } != nil
    }

    /// Waits until so many uploads count.
    package func waitForUploads(_ count: Int, atMost limit: Duration = .seconds(60)) -> Bool {
        wait(atMost: limit) { attempts in attempts.count { $0.isKept } >= count }
    }

    private func take(_ request: ServerRequest, _ body: RequestBody, _ connection: ServerConnection) -> Answer? {
        var attempt = UploadAttempt(
            number: 0, target: request.target, head: request.head,
            contentLength: body.length,
            key: request.header("idempotency-key"), start: .now())
        let behaviour = begin(&attempt)
        defer {
            attempt.isOpen = false
            change(attempt) { $0.open -= 1 }
        }
        guard attempt.contentLength != nil else {
            attempt.status = 411
            return Answer(status: 411).with(.closes)
        }
        do throws(Errno) {
            try read(body, into: &attempt, behaviour, request, connection)
        } catch {
            return nil
        }
        if attempt.flaw == nil, behaviour.isKept, body.remaining == 0 { attempt.isKept = true }
        change(attempt)
        if behaviour.delay > .zero, connection.waitForClose(atMost: behaviour.delay) { return nil }
        if let flaw = attempt.flaw {
            attempt.status = 400
            return Answer(status: 400, body: .text("\(flaw)\n"))
        }
        switch behaviour.ending {
        case .answer(let answer):
            attempt.status = answer.status
            return answer
        case .close: return nil
        case .reset:
            connection.reset()
            return nil
        case .silence:
            connection.waitForClose(atMost: .seconds(86_400))
            return nil
        }
    }

    private func begin(_ attempt: inout UploadAttempt) -> UploadBehaviour {
        let (number, scripted, decide) = state.update { state in
            if state.attempts.count >= Self.capacity {
                state.attempts.removeFirst(Self.capacity / 2)
                state.first += Self.capacity / 2
            }
            let number = state.first + state.attempts.count
            attempt.number = number
            state.attempts.append(attempt)
            state.open += 1
            state.maximumOpen = max(state.maximumOpen, state.open)
            return (number, state.script.isEmpty ? nil : state.script.removeFirst(), state.decide)
        }
        attempt.number = number
        return scripted ?? decide(attempt)
    }

    /// Reads as much of the body as the behaviour wants.
    /// - Throws: when the peer is gone before.
    private func read(
        _ body: RequestBody, into attempt: inout UploadAttempt, _ behaviour: UploadBehaviour,
        _ request: ServerRequest, _ connection: ServerConnection
    ) throws(Errno) {
        var form: FormReader?
        do throws(FormReader.Flaw) {
            form = try FormReader(
                contentType: request.header("content-type") ?? "", keeping: keeping, digests: digests)
        } catch {
            attempt.flaw = error.words
        }
        try connection.write(Array(behaviour.interim.utf8))
        let limit = min(behaviour.reads ?? .max, body.remaining)
        let start = Instant.now()
        while attempt.bytesRead < limit {
            var size = Int(min(Int64(Self.pieceSize), limit - attempt.bytesRead))
            if let rate = behaviour.bytesPerSecond {
                size = min(size, max(1, Int(rate / 50)))
                let due = start + .nanoseconds(Int64(Double(attempt.bytesRead) / Double(rate) * 1e9))
                if connection.waitForClose(atMost: due - .now()) { throw .notConnected }
            }
            let piece = try body.read(atMost: size)
            attempt.bytesRead += Int64(piece.count)
            do throws(FormReader.Flaw) {
                try form?.take(piece)
            } catch {
                (attempt.flaw, form) = (error.words, nil)
            }
            change(attempt)
        }
        attempt.parts = form?.parts ?? []
        attempt.boundary = form?.boundary ?? ""
        if body.remaining == 0 {
            do throws(FormReader.Flaw) {
                try form?.finish()
            } catch {
                attempt.flaw = error.words
            }
        }
    }

    private func change(_ attempt: UploadAttempt, _ more: (inout State) -> Void = { _ in }) {
        state.update { state in
            let index = attempt.number - state.first
            if state.attempts.indices.contains(index) { state.attempts[index] = attempt }
            more(&state)
        }
    }
}
