import Platform
import Testing

@testable import Segments

/// A file that comes front to back, its server, and a budget of so many bytes.
struct StreamFixture: CustomTestStringConvertible {
    var testDescription: String { "a stream of \(actualSize) bytes" }

    var segments: StreamSegments
    let actualSize: Int64
    let memory: Int64
    var now = Instant(nanoseconds: 1_000_000_000)
    var actions: [SegmentAction] = []
    var running: Fetch?
    var isPaused = false
    /// How often the file was begun.
    var starts = 0
    var bytesSent: Int64 = 0
    var answers: [ReadID: Bytes] = [:]
    var ends: Set<ReadID> = []
    var failed: [ReadID: TestFailure] = [:]
    var reserved: Int64 = 0
    var inFlight: Int64 = 0
    var mostReserved: Int64 = 0
    private var nextRead: UInt64 = 1

    init(size: Int64, isKnown: Bool = true, memory: Int64 = 64 * mib) {
        actualSize = size
        self.memory = memory
        segments = StreamSegments(size: isKnown ? size : nil, pool: SegmentPool(limit: memory))
    }

    mutating func run() {
        while !actions.isEmpty {
            let batch = actions
            actions.removeAll()
            for action in batch { run(action) }
        }
    }

    private mutating func run(_ action: SegmentAction) {
        switch action {
        case .start(let fetch):
            guard segments.begin(fetch.id) else { return }
            take(fetch.reservation)
            running = fetch
            isPaused = false
            starts += 1
        case .cancel(let id):
            precondition(running?.id == id)
            running = nil
        case .pause: isPaused = true
        case .resume: isPaused = false
        case .grow(let id, let bytes):
            let isThere = reserved + bytes <= memory
            if segments.grow(id, by: isThere ? bytes : 0, actions: &actions), isThere { take(bytes) }
        case .settle(let settled, let unused):
            reserved -= unused
            inFlight -= settled
        case .release(let bytes): reserved -= bytes
        case .reply(let id, let first, let second):
            precondition(answers[id] == nil && !ends.contains(id) && failed[id] == nil, "answered twice")
            answers[id] = Bytes(first.bytes + (second?.bytes ?? []))
        case .endOfFile(let id): ends.insert(id)
        case .fail(let id, let failure): failed[id] = failure as? TestFailure
        }
    }

    private mutating func take(_ bytes: Int64) {
        reserved += bytes
        inFlight += bytes
        mostReserved = max(mostReserved, reserved)
    }

    /// - Returns: the bytes on a hit, else the read that waits; nil at the end of the file.
    mutating func read(_ offset: Int64, _ length: Int64) -> (bytes: Bytes?, waiting: ReadID?, failure: TestFailure?) {
        let id = ReadID(rawValue: nextRead)
        nextRead += 1
        let outcome = segments.read(id, offset: offset, length: Int(length), now: now, actions: &actions)
        run()
        switch outcome {
        case .ready(let first, let second): return (Bytes(first.bytes + (second?.bytes ?? [])), nil, nil)
        case .endOfFile: return (Bytes([]), nil, nil)
        case .waiting: return (nil, id, nil)
        case .failed(let failure): return (nil, nil, failure as? TestFailure)
        }
    }

    /// The server sends so many bytes, unless paused; at the end of the file the transfer ends.
    mutating func send(_ count: Int64) {
        guard let fetch = running, !isPaused, let start = segments.nextOffset(of: fetch.id) else { return }
        let end = min(actualSize, start + count)
        bytesSent += end - start
        let bytes = content(start..<end)
        segments.receive(fetch.id, bytes: bytes.span.bytes, now: now, actions: &actions)
        run()
        guard running?.id == fetch.id, end == actualSize else { return }
        running = nil
        segments.end(fetch.id, failure: nil, now: now, actions: &actions)
        run()
    }

    mutating func cut() {
        guard let fetch = running else { return }
        running = nil
        segments.end(fetch.id, failure: TestFailure(code: 5), now: now, actions: &actions)
        run()
    }

    func expected(_ offset: Int64, _ length: Int64) -> Bytes {
        Bytes(offset >= actualSize ? [] : content(offset..<min(actualSize, offset + length)))
    }

    func isAnswered(_ id: ReadID?, _ offset: Int64, _ length: Int64) -> Bool {
        guard let id else { return false }
        return ends.contains(id) ? offset >= actualSize : answers[id] == expected(offset, length)
    }
}
