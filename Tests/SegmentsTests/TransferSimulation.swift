import Platform
import Testing

@testable import Segments

/// A network with a virtual clock, a budget, and one file that is read through it.
struct TransferSimulation: CustomTestStringConvertible {
    var testDescription: String { "a transfer at \(now.nanoseconds / 1_000_000) ms" }

    struct Network {
        var roundTrip: Duration
        /// Bytes per second of one connection.
        var ratePerConnection: Double
        /// Bytes per second of all together.
        var totalRate = Double.infinity
        var connections = 7
    }

    /// A program that reads: how far, how much at once (the kernel keeps two such reads under way), and how fast.
    struct Reader {
        var next: Int64
        var end: Int64
        var length: Int64 = 128 * 1024
        /// Reads under way at once, as the kernel's read-ahead does.
        var depth = 2
        /// Bytes per second it consumes.
        var speed = 3e9
        var readyAt = Instant(nanoseconds: 0)
        var waiting: Set<ReadID> = []
        var finishedAt: Instant?
    }

    private struct Transfer {
        var fetch: Fetch
        /// nil: waits for a connection.
        var firstByteAt: Instant?
        var delivered: Int64 = 0
        var credit = 0.0
    }

    let network: Network
    var segments: FileSegments
    var readers: [Reader]
    var now = Instant(nanoseconds: 0)
    let budget: Int64
    private(set) var reserved: Int64 = 0
    private(set) var mostReserved: Int64 = 0
    private(set) var requests: [Range<Int64>] = []
    private(set) var bytesReceived: Int64 = 0
    private(set) var mostTransfers = 0
    private var transfers: [Transfer] = []
    private var idleConnections = 0
    private var actions: [SegmentAction] = []
    private var nextRead: UInt64 = 1
    private static let zeros = [UInt8](repeating: 0, count: 256 * 1024)
    private static let step = Duration.microseconds(500)

    init(size: Int64, network: Network, readers: [Reader], memory: Int64 = 128 * mib) {
        self.network = network
        self.readers = readers
        budget = memory
        segments = FileSegments(
            size: size, limits: SegmentLimits(memory: memory, maximumConnections: network.connections),
            pool: SegmentPool(limit: memory))
    }

    /// OPEN asks for the head.
    mutating func open() {
        guard let fetch = segments.adopt(0..<128 * kib) else { return }
        actions.append(.start(fetch))
        runActions()
    }

    /// Runs until all readers are at their ends; an issue if they are not there within `limit` of virtual time.
    mutating func run(limit: Duration = .seconds(120)) {
        let deadline = now + limit
        while readers.contains(where: { $0.finishedAt == nil }) {
            guard now < deadline else {
                Issue.record("the readers stalled: \(readers)")
                return
            }
            for index in readers.indices { advance(index) }
            now = now + Self.step
            move()
        }
    }

    private mutating func advance(_ index: Int) {
        while readers[index].finishedAt == nil, readers[index].readyAt <= now {
            if readers[index].next >= readers[index].end {
                if readers[index].waiting.isEmpty { readers[index].finishedAt = now }
                return
            }
            guard readers[index].waiting.count < readers[index].depth else { return }
            let id = ReadID(rawValue: nextRead)
            nextRead += 1
            let length = min(readers[index].length, readers[index].end - readers[index].next)
            let outcome = segments.read(
                id, offset: readers[index].next, length: Int(length), now: now, actions: &actions)
            runActions()
            readers[index].next += length
            let pause = Duration.nanoseconds(Int64(Double(length) / readers[index].speed * 1e9))
            readers[index].readyAt =
                max(readers[index].readyAt, Instant(nanoseconds: now.nanoseconds - 500_000)) + pause
            if case .waiting = outcome { readers[index].waiting.insert(id) }
        }
    }

    /// Half a millisecond of the network.
    private mutating func move() {
        connect()
        let seconds = Self.step.inSeconds
        let receiving = transfers.indices.filter { index in transfers[index].firstByteAt.map { $0 <= now } ?? false }
        mostTransfers = max(mostTransfers, receiving.count)
        let rate = min(network.ratePerConnection, network.totalRate / Double(max(1, receiving.count)))
        for index in receiving { transfers[index].credit += rate * seconds }
        for id in receiving.map({ transfers[$0].fetch.id }) { deliver(id) }
    }

    private mutating func connect() {
        for index in transfers.indices where transfers[index].firstByteAt == nil {
            let connected = transfers.count { $0.firstByteAt != nil }
            guard connected < network.connections else { return }
            // A new connection costs one more round trip.
            let isReused = idleConnections > 0
            if isReused { idleConnections -= 1 }
            transfers[index].firstByteAt = now + network.roundTrip + (isReused ? .zero : network.roundTrip)
        }
    }

    private mutating func deliver(_ id: FetchID) {
        while let index = transfers.firstIndex(where: { $0.fetch.id == id }) {
            let transfer = transfers[index]
            let rest = Int64(transfer.fetch.range.count) - transfer.delivered
            let zeros = Self.zeros
            let count = min(Int64(transfer.credit), rest, Int64(zeros.count))
            guard count > 0 else { return }
            transfers[index].credit -= Double(count)
            transfers[index].delivered += count
            bytesReceived += count
            segments.receive(id, bytes: zeros.span.bytes.extracting(first: Int(count)), now: now, actions: &actions)
            if count == rest {
                transfers.removeAll { $0.fetch.id == id }
                idleConnections += 1
                segments.end(id, failure: nil, now: now, actions: &actions)
            }
            runActions()
            connect()
        }
    }

    private mutating func runActions() {
        while !actions.isEmpty {
            let batch = actions
            actions.removeAll()
            for action in batch { run(action) }
        }
    }

    private mutating func run(_ action: SegmentAction) {
        switch action {
        case .start(let fetch):
            // As the budget does it: prefetch evicts only what is cold.
            let hot = fetch.isDemand ? Instant.distantFuture : Instant(nanoseconds: now.nanoseconds - 5_000_000_000)
            while reserved + fetch.reservation > budget, let use = segments.oldestUse, use < hot {
                reserved -= segments.evict()
            }
            if reserved + fetch.reservation > budget, !fetch.isDemand {
                segments.refuse(fetch.id, now: now, actions: &actions)
                return
            }
            guard segments.begin(fetch.id) else { return }
            reserved += fetch.reservation
            mostReserved = max(mostReserved, reserved)
            requests.append(fetch.range)
            transfers.append(Transfer(fetch: fetch))
            connect()
        case .cancel(let id): transfers.removeAll { $0.fetch.id == id }
        case .settle(_, let unused): reserved -= unused
        case .release(let bytes): reserved -= bytes
        case .reply(let id, _, _):
            for index in readers.indices { readers[index].waiting.remove(id) }
        case .endOfFile, .fail, .pause, .resume, .grow: preconditionFailure("not in this simulation")
        }
    }
}
