import Platform

@testable import Segments

/// The error that tests make fetches fail with.
struct TestFailure: Error, Equatable {
    var code: Int
}

let kib: Int64 = 1024
let mib: Int64 = 1024 * 1024

/// The byte at an offset of every test file.
func byte(at offset: Int64) -> UInt8 { UInt8(truncatingIfNeeded: offset &* 31 &+ (offset >> 8) &* 7 &+ (offset >> 16)) }

/// One file with a clock that stands until moved, and what became of its reads.
struct SegmentsFixture {
    var segments: FileSegments<TestFailure>
    let pool = SegmentPool(limit: 128 * mib)
    var now = Instant(nanoseconds: 1_000_000_000)
    var actions: [SegmentAction<TestFailure>] = []
    /// Begun fetches by start of range.
    var running: [Fetch] = []
    var cancelled: [FetchID] = []
    var answers: [ReadID: [UInt8]] = [:]
    var failed: [ReadID: TestFailure] = [:]
    var reserved: Int64 = 0
    var refusesPrefetch = false
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
                    if refusesPrefetch && !fetch.isDemand {
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
                    answers[id] = first.bytes + (second?.bytes ?? [])
                case .fail(let id, let failure):
                    precondition(answers[id] == nil && failed[id] == nil, "answered twice")
                    failed[id] = failure
                case .endOfFile, .pause, .resume: preconditionFailure("not for files of known size")
                }
            }
        }
        return begun
    }

    enum Outcome: Equatable {
        case bytes([UInt8])
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
        case .ready(let first, let second): return .bytes(first.bytes + (second?.bytes ?? []))
        case .endOfFile: return .endOfFile
        case .failed(let failure): return .failed(failure)
        case .waiting: return .waiting(id)
        }
    }

    /// Delivers the next bytes of a fetch; at its end, ends it.
    mutating func deliver(_ fetch: FetchID, _ count: Int64 = .max) {
        guard let start = segments.nextOffset(of: fetch), let known = running.first(where: { $0.id == fetch }) else {
            return
        }
        let end = min(known.range.upperBound, start + min(count, known.range.upperBound - start))
        let bytes = expected(start, end - start)
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
    func expected(_ offset: Int64, _ length: Int64) -> [UInt8] {
        guard offset < segments.size else { return [] }
        return (offset..<min(segments.size, offset + length)).map(byte(at:))
    }

    func isHit(_ outcome: Outcome, _ offset: Int64, _ length: Int64) -> Bool {
        outcome == .bytes(expected(offset, length))
    }
}
