import Platform

/// The requests a server was asked, in the order their heads arrived, and how many were under way at once.
final class RequestLog: Sendable {
    /// An entry's number since the log was made; stays valid when the log is cleared meanwhile.
    struct Entry { fileprivate let number: Int }

    private struct Resource: Hashable {
        let method: String
        let target: String
    }

    private struct State {
        var requests: [LoggedRequest] = []
        /// The number of the first entry of `requests`.
        var first = 0
        var underWay: Set<Int> = []
        var counts: [Resource: Int] = [:]
        var maximumUnderWay = 0
        var totalRequests = 0
        var totalBytes: Int64 = 0
    }

    /// The older half is forgotten when the log holds so many: a server may run for days.
    private static let capacity = 200_000

    private let state = Lock(State())

    var requests: [LoggedRequest] { state.withLock { $0.requests } }
    var maximumUnderWay: Int { state.withLock { $0.maximumUnderWay } }
    /// Requests and body bytes since the server was made, not touched by `clear`.
    var totals: (requests: Int, bytes: Int64) { state.withLock { ($0.totalRequests, $0.totalBytes) } }

    /// Forgets entries, counts and maxima.
    func clear() {
        state.withLock {
            $0.first += $0.requests.count
            $0.requests = []
            $0.counts = [:]
            $0.maximumUnderWay = $0.underWay.count
        }
    }

    /// Notes a request whose head is read, and fills in how often it was asked before.
    func begin(_ request: inout ServerRequest) -> Entry {
        let logged = LoggedRequest(
            method: request.method, target: request.target, range: request.header("range"),
            headers: request.headers, connection: request.connection)
        let resource = Resource(method: request.method, target: request.target)
        let (entry, count) = state.withLock { state in
            if state.requests.count >= Self.capacity {
                state.requests.removeFirst(Self.capacity / 2)
                state.first += Self.capacity / 2
            }
            let number = state.first + state.requests.count
            state.requests.append(logged)
            state.underWay.insert(number)
            state.maximumUnderWay = max(state.maximumUnderWay, state.underWay.count)
            state.totalRequests += 1
            let count = state.counts[resource, default: 0]
            state.counts[resource] = count + 1
            return (Entry(number: number), count)
        }
        request.count = count
        return entry
    }

    func setBody(_ entry: Entry, _ body: [UInt8]) { change(entry) { $0.body = body } }
    func setStatus(_ entry: Entry, _ status: Int?) { change(entry) { $0.status = status } }

    func addBytes(_ entry: Entry, _ count: Int) {
        state.withLock { $0.totalBytes += Int64(count) }
        change(entry) { $0.bytesSent += count }
    }

    /// The request is no longer under way. May be called again.
    func end(_ entry: Entry) { state.withLock { _ = $0.underWay.remove(entry.number) } }

    private func change(_ entry: Entry, _ body: (inout LoggedRequest) -> Void) {
        state.withLock { state in
            let index = entry.number - state.first
            if state.requests.indices.contains(index) { body(&state.requests[index]) }
        }
    }
}
