import Platform
import Segments

/// The bytes of one version of a file: by ranges, or front to back where the server has no ranges or no size.
struct FileBytes: Sendable {
    typealias Action = SegmentAction

    // One of the two is there. Two optionals, because a step has to change the value in place.
    private var ranged: FileSegments?
    private var streamed: StreamSegments?

    /// By ranges.
    init(size: Int64, limits: SegmentLimits, pool: SegmentPool) {
        ranged = FileSegments(size: size, limits: limits, pool: pool)
    }

    /// Front to back; `size` nil if only the end of the body tells.
    init(streamOf size: Int64?, pool: SegmentPool) { streamed = StreamSegments(size: size, pool: pool) }

    var isStream: Bool { streamed != nil }

    /// nil while only the end of the body will tell.
    var size: Int64? { ranged?.size ?? streamed?.size }

    /// Registers the contact's transfer as the fetch of its range.
    mutating func adopt(_ range: Range<Int64>) -> Fetch? { ranged?.adopt(range) ?? streamed?.adopt() }

    mutating func read(
        _ id: ReadID, offset: Int64, length: Int, now: Instant, actions: inout [Action]
    ) -> ReadOutcome {
        ranged?.read(id, offset: offset, length: length, now: now, actions: &actions)
            ?? streamed?.read(id, offset: offset, length: length, now: now, actions: &actions) ?? .endOfFile
    }

    mutating func abandon(_ id: ReadID, now: Instant, actions: inout [Action]) {
        ranged?.abandon(id, now: now, actions: &actions)
        streamed?.abandon(id, now: now, actions: &actions)
    }

    /// Gives up all that is on the way and here, for a start in another way. The reads get no answer.
    mutating func abandonAll(_ reads: some Sequence<ReadID>, now: Instant, actions: inout [Action]) {
        for id in reads { abandon(id, now: now, actions: &actions) }
        removeAll(actions: &actions)
        // What an abandoned read still asked for is not wanted any more.
        actions.removeAll { if case .start = $0 { true } else { false } }
    }

    mutating func begin(_ fetch: FetchID) -> Bool { ranged?.begin(fetch) ?? streamed?.begin(fetch) ?? false }

    mutating func refuse(_ fetch: FetchID, now: Instant, actions: inout [Action]) {
        ranged?.refuse(fetch, now: now, actions: &actions)
    }

    /// - Returns: false if the memory is not wanted any more.
    mutating func grow(_ fetch: FetchID, by bytes: Int64, actions: inout [Action]) -> Bool {
        streamed?.grow(fetch, by: bytes, actions: &actions) ?? false
    }

    mutating func receive(_ fetch: FetchID, bytes: RawSpan, now: Instant, actions: inout [Action]) {
        ranged?.receive(fetch, bytes: bytes, now: now, actions: &actions)
        streamed?.receive(fetch, bytes: bytes, now: now, actions: &actions)
    }

    mutating func end(
        _ fetch: FetchID, failure: FileFailure?, isOverload: Bool, now: Instant, actions: inout [Action]
    ) {
        ranged?.end(fetch, failure: failure, isOverload: isOverload, now: now, actions: &actions)
        streamed?.end(fetch, failure: failure, now: now, actions: &actions)
    }

    mutating func failAll(_ failure: FileFailure, actions: inout [Action]) {
        ranged?.failAll(failure, actions: &actions)
        streamed?.failAll(failure, actions: &actions)
    }

    mutating func close(now: Instant, actions: inout [Action]) {
        ranged?.close(now: now, actions: &actions)
        streamed?.close(now: now, actions: &actions)
    }

    /// Gives all memory back. No read may be waiting.
    mutating func removeAll(actions: inout [Action]) {
        ranged?.removeAll(actions: &actions)
        streamed?.removeAll(actions: &actions)
    }

    mutating func evict() -> Int64 { ranged?.evict() ?? streamed?.evict() ?? 0 }

    var oldestUse: Instant? { ranged.map(\.oldestUse) ?? streamed?.oldestUse }
    var presentBytes: Int64 { ranged?.presentBytes ?? streamed?.presentBytes ?? 0 }
    var capacity: Int64 { ranged?.capacity ?? streamed?.capacity ?? 0 }

    /// How many connections proved useful; carried from file to file of one host.
    var learnedConnections: Int? {
        get { ranged?.learnedConnections }
        set { if let newValue { ranged?.learnedConnections = newValue } }
    }
}
