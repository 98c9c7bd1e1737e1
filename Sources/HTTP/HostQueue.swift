import Platform

/// Decides which requests of one host may run now: never more than the host's connections, people before prefetch, and
/// no resource so many that others starve. Pure.
struct HostQueue: Sendable {
    private struct Waiting: Sendable {
        var id: TransferID
        var resource: UInt64
    }

    private struct Running: Sendable {
        var resource: UInt64
        var lastByte: Instant
        var isMetadata: Bool
        /// Shares an HTTP/2 connection, so that many count as one.
        var isMultiplexed: Bool
    }

    /// A transfer without a byte for this long is taken for stalled and no longer counts.
    static let silence = Duration.seconds(1)
    /// Streams of one HTTP/2 connection: the usual limit of servers (RFC 9113, 6.5.2, asks for at least 100).
    static let maximumStreams = 100

    /// Connections including silent ones, as a multiple of the normal limit.
    static let hardLimit = 4

    private let connections: Int
    private var demand: [Waiting] = []
    private var metadata: [Waiting] = []
    private var metadataAhead: [Waiting] = []
    private var prefetch: [Waiting] = []
    private var running: [TransferID: Running] = [:]
    private(set) var pausedUntil = Instant(nanoseconds: 0)
    /// Whether the host answered metadata over HTTP/2.
    var isMultiplexed = false
    /// The last byte of the last request that was answered.
    var lastHeard = Instant(nanoseconds: 0)

    init(connections: Int) { self.connections = max(1, connections) }

    var isIdle: Bool { running.isEmpty && waitingCount == 0 }
    var waitingCount: Int { demand.count + metadata.count + metadataAhead.count + prefetch.count }

    mutating func enqueue(_ id: TransferID, _ purpose: Request.Purpose, resource: UInt64) {
        let waiting = Waiting(id: id, resource: resource)
        switch purpose {
        case .demand: demand.append(waiting)
        case .metadata: metadata.append(waiting)
        case .metadataAhead: metadataAhead.append(waiting)
        case .prefetch: prefetch.append(waiting)
        }
    }

    mutating func remove(_ id: TransferID) {
        if running.removeValue(forKey: id) != nil { return }
        demand.removeAll { $0.id == id }
        metadata.removeAll { $0.id == id }
        metadataAhead.removeAll { $0.id == id }
        prefetch.removeAll { $0.id == id }
    }

    /// The requests that were admitted and not removed.
    var admittedIDs: [TransferID] { Array(running.keys) }

    /// The admitted requests that share a connection.
    var sharingIDs: [TransferID] { running.filter { $0.value.isMultiplexed }.map(\.key) }

    mutating func noteByte(_ id: TransferID, at instant: Instant) { running[id]?.lastByte = instant }

    /// The server asked to be left alone.
    mutating func pause(until instant: Instant) { pausedUntil = max(pausedUntil, instant) }

    /// The requests to start now, in order.
    mutating func admit(now: Instant) -> [TransferID] {
        guard now >= pausedUntil, waitingCount > 0 else { return [] }
        var admitted: [TransferID] = []
        // Under an endless stream of reads, a listing still gets its turn: one is always under way.
        let isServed = running.values.contains { $0.isMetadata && now - $0.lastByte < Self.silence }
        if connections > 1, !isServed {
            let queue = metadata.isEmpty ? \Self.metadataAhead : \.metadata
            take(from: queue, isMetadata: true, atMost: 1, now: now, &admitted)
        }
        take(from: \.demand, isMetadata: false, now: now, &admitted)
        take(from: \.metadata, isMetadata: true, now: now, &admitted)
        take(from: \.metadataAhead, isMetadata: true, now: now, &admitted)
        take(from: \.prefetch, isMetadata: false, now: now, &admitted)
        return admitted
    }

    /// When a silent transfer stops counting or a pause ends; nil if nothing waits.
    func nextChange(now: Instant) -> Instant? {
        guard waitingCount > 0 else { return nil }
        if now < pausedUntil { return pausedUntil }
        return running.values.map { $0.lastByte + Self.silence }.filter { $0 > now }.min()
    }

    private mutating func take(
        from queue: WritableKeyPath<Self, [Waiting]>, isMetadata: Bool, atMost limit: Int = .max, now: Instant,
        _ admitted: inout [TransferID]
    ) {
        var index = 0
        var taken = 0
        while taken < limit, index < self[keyPath: queue].count {
            let waiting = self[keyPath: queue][index]
            let shares = isMetadata && isMultiplexed
            guard hasRoom(shares, now: now) else { return }
            if isBlocked(waiting.resource) {
                index += 1
                continue
            }
            self[keyPath: queue].remove(at: index)
            running[waiting.id] = Running(
                resource: waiting.resource, lastByte: now, isMetadata: isMetadata, isMultiplexed: shares)
            admitted.append(waiting.id)
            taken += 1
        }
    }

    private func hasRoom(_ shares: Bool, now: Instant) -> Bool {
        let streams = running.values.count { $0.isMultiplexed }
        if shares, streams > 0 { return streams < Self.maximumStreams }
        let others = running.values.filter { !$0.isMultiplexed }
        let active = others.count { now - $0.lastByte < Self.silence } + (streams > 0 ? 1 : 0)
        return active < connections && others.count < Self.hardLimit * connections
    }

    /// One resource leaves a connection to the others.
    private func isBlocked(_ resource: UInt64) -> Bool {
        guard resource != 0, connections > 1 else { return false }
        return running.values.count { $0.resource == resource } >= connections - 1
    }
}
