import Platform

/// Plays the webxml flight service: two operations in four transports, with invented flights, and with its faults.
package final class DomesticAirlineService: Sendable {
    package enum Operation: String, Hashable, Sendable {
        case cities = "getDomesticCity"
        case flights = "getDomesticAirlinesTime"
    }

    /// What the service counts for users who do not pay.
    package struct Limits: Sendable {
        package var interval: Duration
        package var daily: Int

        package init(interval: Duration = .milliseconds(600), daily: Int = 50) {
            self.interval = interval
            self.daily = daily
        }
    }

    private struct State: Sendable {
        var behaviours: [Operation: DomesticAirlineBehaviour] = [:]
        var calls: [(call: DomesticAirlineCall, time: Instant)] = []
    }

    /// The path of the service, in lower case.
    private let folder: String
    private let limits: Limits?
    private let state = Lock(State())

    /// - Parameters:
    ///   - path: of the `.asmx`; upper and lower case are the same there.
    ///   - limits: nil to answer as often as asked.
    package init(path: String = "/webservices/DomesticAirline.asmx", limits: Limits? = nil) {
        folder = path.lowercased()
        self.limits = limits
    }

    /// How an operation is answered from now on.
    package func play(_ behaviour: DomesticAirlineBehaviour, for operation: Operation) {
        state.withLock { $0.behaviours[operation] = behaviour }
    }

    /// The calls of an operation so far, in order.
    package func calls(of operation: Operation) -> [DomesticAirlineCall] {
        state.withLock { $0.calls.map(\.call).filter { $0.operation == operation.rawValue } }
    }

    /// The shortest time between the beginnings of two calls, of whatever operation; nil before the second.
    package var shortestInterval: Duration? {
        state.withLock { state in zip(state.calls, state.calls.dropFirst()).map { $1.time - $0.time }.min() }
    }

    /// Answers a request for the service's path.
    /// - Returns: nil for a request that is not the service's.
    package func answer(to request: ServerRequest) -> Answer? {
        guard request.path.lowercased().hasPrefix(folder) else { return nil }
        do throws(DomesticAirlineCall.Refusal) {
            let call = try DomesticAirlineCall(request, folder: folder)
            guard let operation = Operation(rawValue: call.operation) else {
                let words = "Request format is unrecognized for URL unexpectedly ending in '/\(call.operation)'."
                return Self.page("<html><head><title>\(words)</title></head><body>\(words)</body></html>", status: 500)
            }
            return try answer(to: call, operation)
        } catch {
            return Answer(
                status: error.status, headers: [("Content-Type", "text/plain; charset=utf-8")],
                body: .text(error.text + "\r\n"))
        }
    }

    private func answer(to call: DomesticAirlineCall, _ operation: Operation) throws(DomesticAirlineCall.Refusal)
        -> Answer
    {
        let now = Instant.now()
        let (behaviour, earlier) = state.withLock { state in
            defer { state.calls.append((call, now)) }
            return (state.behaviours[operation] ?? .normal, state.calls)
        }
        var rows = try rows(of: call, operation)
        if let limits, call.parameters["userID", default: ""].isEmpty {
            if earlier.count >= limits.daily { rows = [Self.quota] }
            if let last = earlier.last, now - last.time < limits.interval { rows = [Self.tooFast] }
        }
        if case .quota = behaviour { rows = [Self.quota] }
        if case .tooFast = behaviour { rows = [Self.tooFast] }
        let document = (operation == .cities ? DomesticAirlineDocument.cities : .flights)
            .text(rows, operation: operation.rawValue, transport: call.transport)
        let type = call.transport == .soap12 ? "application/soap+xml" : "text/xml"
        var answer = Answer(
            headers: [("Cache-Control", "private, max-age=0"), ("Content-Type", "\(type); charset=utf-8")],
            body: .text(document))
        switch behaviour {
        case .normal, .quota, .tooFast: break
        case .slow(let delay): answer = answer.with(.delay(delay))
        case .cut(let count): answer = answer.with(.cut(afterBody: count))
        case .shortened(let count): answer.body = .bytes(Array(document.utf8.prefix(count)))
        case .failure(let status): return Self.page("<html><body>Out of order</body></html>", status: status)
        case .hostile(let kind): answer.body = .bytes(kind.bytes(of: document))
        }
        return answer
    }

    private func rows(
        of call: DomesticAirlineCall, _ operation: Operation
    ) throws(DomesticAirlineCall.Refusal) -> [[String]] {
        guard operation == .flights else { return DomesticAirlineCities.rows }
        for name in ["startCity", "lastCity", "theDate", "userID"] where call.parameters[name] == nil {
            throw DomesticAirlineCall.Refusal(
                status: 500,
                text: """
                    System.InvalidOperationException: Missing parameter: \(name).\r
                       at System.Web.Services.Protocols.ValueCollectionParameterReader.Read(NameValueCollection collection)
                    """)
        }
        guard let day = DomesticAirlineDay.number(call.parameters["theDate", default: ""]) else {
            throw DomesticAirlineCall.Refusal(
                status: 500, text: "System.FormatException: String was not recognized as a valid DateTime.")
        }
        guard let from = Self.city(call.parameters["startCity", default: ""], otherwise: "上海"),
            let to = Self.city(call.parameters["lastCity", default: ""], otherwise: "北京")
        else { return [["出发或抵达的城市不被支持"]] }
        let flights = DomesticAirlineTimetable.rows(from: from, to: to, day: day)
        return flights.isEmpty ? [["没有航班"]] : flights
    }

    /// By Chinese name or code; the service puts in its own city for none.
    private static func city(_ text: String, otherwise usual: String) -> String? {
        text.isEmpty ? usual : DomesticAirlineCities.rows.first { $0[1] == text || $0[2] == text }?[1]
    }

    private static func page(_ text: String, status: Int) -> Answer {
        Answer(status: status, headers: [("Content-Type", "text/html; charset=utf-8")], body: .text(text))
    }

    private static let quota = ["发现错误：免费用户24小时内访问超过规定数量。", "http://www.webxml.com.cn/"]
    private static let tooFast = ["发现错误：免费用户不能使用高速访问。", "http://www.webxml.com.cn/"]
}
