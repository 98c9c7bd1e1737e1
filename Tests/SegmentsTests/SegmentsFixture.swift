import Platform
import Testing

@testable import Segments

/// The error that tests make fetches fail with.
struct TestFailure: Error, Equatable {
    var code: Int
}

let kib: Int64 = 1024
let mib: Int64 = 1024 * 1024

/// The bytes of every test file: each aligned run of eight is a hash of its place, so that no two blocks are alike.
func content(_ range: Range<Int64>) -> [UInt8] {
    let start = range.lowerBound & ~7
    let words = Int((range.upperBound - start + 7) / 8)
    let bytes = [UInt64](unsafeUninitializedCapacity: words) { buffer, count in
        var place = UInt64(start / 8)
        for index in 0..<words {
            buffer[index] = (place &+ 1) &* 0x9E37_79B9_7F4A_7C15
            place &+= 1
        }
        count = words
    }
    return bytes.withUnsafeBytes { Array($0[Int(range.lowerBound - start)..<Int(range.upperBound - start)]) }
}

/// One file with a clock that stands until moved, and what became of its reads.
struct SegmentsFixture: CustomTestStringConvertible {
    var testDescription: String { "a file of \(segments.size) bytes" }

    var segments: FileSegments
    let pool = SegmentPool(limit: 128 * mib)
    var now = Instant(nanoseconds: 1_000_000_000)
    var actions: [SegmentAction] = []
    /// Begun fetches by start of range.
    var running: [Fetch] = []
    var cancelled: [FetchID] = []
    var answers: [ReadID: Bytes] = [:]
    var failed: [ReadID: TestFailure] = [:]
    var reserved: Int64 = 0
    var refusesPrefetch = false
    /// Keeps `start` actions in `held`, as while a demand waits for memory.
    var holdsStarts = false
    var held: [Fetch] = []
    private var nextRead: UInt64 = 1

    init(size: Int64, connections: Int = 7, memory: Int64 = 128 * mib) {
        segments = FileSegments(
            size: size, limits: SegmentLimits(memory: memory, maximumConnections: connections), pool: pool)
    }

    /// Runs the actions as the caller would; returns the fetches that began.
    @discardableResult
    mutating func run() -> [Fetch] {
        var begun: [Fetch] = []
        while !actions.isEmpty {
            let batch = actions
            actions.removeAll()
            for action in batch {
                switch action {
                case .start(let fetch):
                    if holdsStarts {
                        held.append(fetch)
                    } else if refusesPrefetch && !fetch.isDemand {
                        segments.refuse(fetch.id, now: now, actions: &actions)
                    } else if segments.begin(fetch.id) {
                        reserved += fetch.reservation
                        running.append(fetch)
                        begun.append(fetch)
                    }
                case .cancel(let id):
                    cancelled.append(id)
                    running.removeAll { $0.id == id }
                case .settle(_, let unused): reserved -= unused
                case .release(let bytes): reserved -= bytes
                case .reply(let id, let first, let second):
                    precondition(answers[id] == nil && failed[id] == nil, "answered twice")
                    answers[id] = Bytes(first.bytes + (second?.bytes ?? []))
                case .fail(let id, let failure):
                    precondition(answers[id] == nil && failed[id] == nil, "answered twice")
                    failed[id] = failure as? TestFailure
                case .endOfFile, .pause, .resume, .grow: preconditionFailure("not for files of known size")
                }
            }
        }
        return begun
    }

    /// The memory for a held fetch is there.
    mutating func beginHeld(at index: Int) {
        let fetch = held.remove(at: index)
        guard segments.begin(fetch.id) else { return }
        reserved += fetch.reservation
        running.append(fetch)
    }

    enum Outcome: Equatable {
        case bytes(Bytes)
        case endOfFile
        case waiting(ReadID)
        case failed(TestFailure)
    }

    /// A read; its actions are run.
    @discardableResult
    mutating func read(_ offset: Int64, _ length: Int64) -> Outcome {
        let id = ReadID(rawValue: nextRead)
        nextRead += 1
        let outcome = segments.read(id, offset: offset, length: Int(length), now: now, actions: &actions)
        run()
        switch outcome {
        case .ready(let first, let second): return .bytes(Bytes(first.bytes + (second?.bytes ?? [])))
        case .endOfFile: return .endOfFile
        case .failed(let failure): return .failed(failure as? TestFailure ?? TestFailure(code: -1))
        case .waiting: return .waiting(id)
        }
    }

    /// Delivers the next bytes of a fetch; at its end, ends it.
    mutating func deliver(_ fetch: FetchID, _ count: Int64 = .max) {
        guard let start = segments.nextOffset(of: fetch), let known = running.first(where: { $0.id == fetch }) else {
            return
        }
        let end = min(known.range.upperBound, start + min(count, known.range.upperBound - start))
        let bytes = content(start..<end)
        segments.receive(fetch, bytes: bytes.span.bytes, now: now, actions: &actions)
        if end == known.range.upperBound { finish(fetch) } else { run() }
    }

    mutating func deliverAll() {
        while let fetch = running.first { deliver(fetch.id) }
    }

    mutating func finish(_ fetch: FetchID, failure: TestFailure? = nil) {
        running.removeAll { $0.id == fetch }
        segments.end(fetch, failure: failure, now: now, actions: &actions)
        run()
    }

    mutating func abandon(_ id: ReadID) {
        segments.abandon(id, now: now, actions: &actions)
        run()
    }

    mutating func close() {
        segments.close(now: now, actions: &actions)
        run()
    }

    mutating func evict() -> Int64 {
        let freed = segments.evict()
        reserved -= freed
        return freed
    }

    /// What a read must give.
    func expected(_ offset: Int64, _ length: Int64) -> Bytes {
        guard offset < segments.size else { return Bytes([]) }
        return Bytes(content(offset..<min(segments.size, offset + length)))
    }

    func isHit(_ outcome: Outcome, _ offset: Int64, _ length: Int64) -> Bool {
        outcome == .bytes(expected(offset, length))
    }
}
