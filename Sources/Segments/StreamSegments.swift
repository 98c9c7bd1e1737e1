package import Platform

/// The bytes of a file that can only be had front to back: its server has no ranges, or nobody knows its size.
///
/// One fetch of the whole file serves all readers; a read waits until the fetch gets there. What is here stays while memory
/// lasts. A read of something dropped begins the fetch again, once no read waits further on. The caller works as with
/// `FileSegments`, and in addition pauses the transfer when memory is full of bytes nobody has read.
package struct StreamSegments: Sendable {
    package typealias Action = SegmentAction

    /// A fetch from the start of the file.
    private struct Stream: Sendable {
        let id: FetchID
        var position: Int64 = 0
        /// Missing blocks of one segment that are being filled.
        var current: Range<Int64>?
        var booking: SegmentTable.Booking?
        /// Reserved and not settled: what the budget counts as in flight.
        var reserved: Int64
        /// Memory in hand; below zero: borrowed for waiting reads.
        var unused: Int64
        /// Memory of `current`.
        var filling: Int64 = 0
        var hasBegun = false
        var isPaused = false
        /// No more memory is asked for before this position.
        var asksAt: Int64 = 0
    }

    /// Reserved at first and each time it grows.
    private static var portion: Int64 { 4 * SegmentLayout.segment }
    /// Kept in hand for bytes that still come after a pause.
    private static var margin: Int64 { 2 * SegmentLayout.segment }
    /// Stands for the size while it is unknown; no offset of the kernel gets near it.
    private static var unknownSize: Int64 { .max & ~(SegmentLayout.segment - 1) }

    /// Exact; nil until the end was seen.
    package private(set) var size: Int64?
    private(set) var table: SegmentTable
    private var waiting: [WaitingRead] = []
    private var failures = FailureMemory()
    private var stream: Stream?
    private var nextFetch: UInt64 = 1
    /// The largest end of a read.
    private var furthest: Int64 = 0
    private var consumedEnd: Int64 = 0
    private var gone: (any Error)?

    /// - Parameters:
    ///   - size: exact, or nil if only the end of the transfer tells.
    ///   - pool: of the `MemoryBudget`.
    package init(size: Int64?, pool: SegmentPool) {
        self.size = size
        table = SegmentTable(size: size ?? Self.unknownSize, pool: pool)
    }

    private var limit: Int64 { size ?? Self.unknownSize }

    // MARK: Reads

    /// A read of the kernel, as of `FileSegments`.
    package mutating func read(
        _ id: ReadID, offset: Int64, length: Int, now: Instant, actions: inout [Action]
    ) -> ReadOutcome {
        if let gone { return .failed(gone) }
        guard offset >= 0, offset < limit, length > 0 else { return .endOfFile }
        let range = offset..<min(limit, offset + min(Int64(length), SegmentLayout.segment))
        if let (first, second) = table.slices(range, now: now) {
            noteRead(range)
            flow(actions: &actions)
            return .ready(first, second)
        }
        if let failure = failures.failure(for: range, now: now) { return .failed(failure) }
        table.pin(range)
        waiting.append(WaitingRead(id: id, range: range, stream: 0))
        noteRead(range)
        restartIfNeeded(actions: &actions)
        flow(actions: &actions)
        return .waiting
    }

    /// The reader of a waiting read went away: it gets no answer. The fetch goes on.
    package mutating func abandon(_ id: ReadID, now: Instant, actions: inout [Action]) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        endWait(waiting.remove(at: index), now: now, actions: &actions)
        restartIfNeeded(actions: &actions)
        flow(actions: &actions)
    }

    private mutating func noteRead(_ range: Range<Int64>) {
        furthest = max(furthest, range.upperBound)
        stream?.asksAt = 0
        while consumedEnd + 2 * SegmentLayout.segment <= furthest {
            guard table.markConsumed(SegmentLayout.segmentNumber(consumedEnd)) else { break }
            consumedEnd += SegmentLayout.segment
        }
    }

    // MARK: The fetch

    /// Registers a request for the whole file that the caller sent on its own.
    /// - Returns: what to do as after a `start` action; nil if one is running.
    package mutating func adopt() -> Fetch? {
        guard stream == nil, gone == nil else { return nil }
        return addStream()
    }

    /// As of `FileSegments`.
    package mutating func begin(_ fetch: FetchID) -> Bool {
        guard stream?.id == fetch else { return false }
        stream?.hasBegun = true
        return true
    }

    /// The outcome of a `grow` action.
    /// - Parameter bytes: what was reserved; 0 if it was refused.
    /// - Returns: false if the fetch is over: give them back.
    package mutating func grow(_ fetch: FetchID, by bytes: Int64, actions: inout [Action]) -> Bool {
        guard stream?.id == fetch else { return false }
        stream?.reserved += bytes
        stream?.unused += bytes
        if bytes > 0 { stream?.asksAt = 0 }
        flow(actions: &actions)
        return true
    }

    /// The next byte the fetch needs; nil if it is not wanted any more.
    package func nextOffset(of fetch: FetchID) -> Int64? { stream?.id == fetch ? stream?.position : nil }

    /// As of `FileSegments`. A landing may be one for bytes that are here already: writing to it does nothing.
    package mutating func landing(for fetch: FetchID, count: Int) -> SegmentLanding? {
        guard count > 0, var stream, stream.id == fetch, stream.hasBegun, stream.position < limit else { return nil }
        let position = stream.position
        let end = min(limit, SegmentLayout.segmentFloor(position) + SegmentLayout.segment)
        let wanted = position..<min(end, position + min(Int64(count), SegmentLayout.segment))
        if stream.current == nil {
            // A block that was here when its first bytes passed is not filled with its last ones only.
            let start = SegmentLayout.blockCeiling(position)
            let missing = start < end ? table.missingRun(in: start..<end) : nil
            guard let missing, missing.lowerBound == position else {
                let skipped = min(wanted.upperBound, missing?.lowerBound ?? end)
                return SegmentLanding(fetch: fetch, buffer: nil, offset: position, count: Int(skipped - position))
            }
            makeRoom(in: &stream)
            stream.current = missing
            stream.booking = table.beginFetch(missing)
        }
        guard let current = stream.current, let booking = stream.booking,
            let (buffer, bytes, added) = table.landing(
                wanted.clamped(to: position..<current.upperBound), of: current, booking: booking)
        else { return nil }
        stream.unused -= added
        stream.filling += added
        self.stream = stream
        return SegmentLanding(fetch: fetch, buffer: buffer, offset: position, count: Int(bytes))
    }

    /// Drops own segments for the next one if the reservation is used up.
    private mutating func makeRoom(in stream: inout Stream) {
        while stream.unused < SegmentLayout.segment, let (_, freed) = table.evict() {
            stream.unused += freed
        }
    }

    /// As of `FileSegments`.
    package mutating func commit(_ landing: SegmentLanding, now: Instant, actions: inout [Action]) {
        guard var stream, stream.id == landing.fetch else { return }
        let before = stream.position
        stream.position += Int64(landing.count)
        if let current = stream.current {
            let isFull = stream.position == current.upperBound
            let end = isFull ? current.upperBound : SegmentLayout.blockFloor(stream.position)
            let complete = max(current.lowerBound, SegmentLayout.blockFloor(before))..<end
            if isFull {
                stream.current = nil
                stream.booking = nil
            }
            self.stream = stream
            if !complete.isEmpty {
                table.markPresent(complete, now: now)
                answer(now: now, actions: &actions)
            }
            if isFull { settlePart(actions: &actions) }
        } else {
            self.stream = stream
        }
        restartIfNeeded(actions: &actions)
        flow(actions: &actions)
    }

    /// Copies bytes of the fetch: landing, write and commit in one.
    /// - Returns: whether more are wanted.
    @discardableResult
    package mutating func receive(
        _ fetch: FetchID, bytes: RawSpan, now: Instant, actions: inout [Action]
    ) -> Bool {
        var rest = bytes
        while !rest.isEmpty, let landing = landing(for: fetch, count: rest.byteCount) {
            landing.write(rest)
            rest = rest.extracting(droppingFirst: landing.count)
            commit(landing, now: now, actions: &actions)
        }
        return (nextOffset(of: fetch) ?? limit) < limit
    }

    /// The transfer is over.
    /// - Parameter failure: nil only if the file came to its end: where the size was unknown, it is known now. Otherwise
    ///   it fails all waiting reads, and for a second reads of what did not come.
    package mutating func end(_ fetch: FetchID, failure: (any Error)?, now: Instant, actions: inout [Action]) {
        guard let stream, stream.id == fetch else { return }
        if failure == nil, size == nil { finish(at: stream.position, now: now) }
        removeStream(actions: &actions)
        if let failure {
            failures.remember(failure, for: SegmentLayout.blockFloor(stream.position)..<limit, now: now)
            failWaiting(failure, now: now, actions: &actions)
        } else {
            answer(now: now, actions: &actions)
            restartIfNeeded(actions: &actions)
        }
    }

    private mutating func finish(at end: Int64, now: Instant) {
        size = end
        table.cut(at: end)
        guard let current = stream?.current else { return }
        let rest = SegmentLayout.blockFloor(end)..<end
        if !rest.isEmpty { table.markPresent(rest, now: now) }
        let beyond = end..<current.upperBound
        if !beyond.isEmpty { _ = table.markMissing(SegmentLayout.blockCeiling(end)..<current.upperBound) }
        stream?.current = nil
    }

    /// The version is gone, as of `FileSegments`.
    package mutating func failAll(_ failure: any Error, actions: inout [Action]) {
        gone = failure
        for read in waiting { actions.append(.fail(read.id, failure)) }
        waiting.removeAll()
        removeAll(actions: &actions)
    }

    // MARK: Memory

    /// The last handle was closed: the fetch is cancelled if nobody waits.
    package mutating func close(now: Instant, actions: inout [Action]) {
        guard waiting.isEmpty else { return }
        cancelStream(actions: &actions)
        table.cool(by: MemoryBudget.cold)
    }

    /// Cancels the fetch and gives all memory back. No read may be waiting.
    package mutating func removeAll(actions: inout [Action]) {
        cancelStream(actions: &actions)
        let freed = table.removeAll()
        if freed > 0 { actions.append(.release(freed)) }
    }

    /// Drops a segment, as of `FileSegments`; while the fetch runs, only one that was read.
    package mutating func evict() -> Int64 { oldestUse == nil ? 0 : table.evict()?.freed ?? 0 }

    package var oldestUse: Instant? {
        if stream != nil, let oldest = table.oldestBytes, oldest.upperBound > furthest { return nil }
        return table.oldestUse
    }

    package var presentBytes: Int64 { table.presentBytes }
    package var capacity: Int64 { table.capacity }
    package var waitingReads: Int { waiting.count }
    package var runningFetches: Int { stream == nil ? 0 : 1 }

    // MARK: Flow

    /// Pauses the transfer when the next segment has no memory but that of bytes nobody read, and resumes it.
    private mutating func flow(actions: inout [Action]) {
        guard let stream, stream.hasBegun else { return }
        let isShort = stream.unused < Self.margin && stream.position < limit
        if isShort, stream.position >= stream.asksAt {
            self.stream?.asksAt = stream.position + SegmentLayout.segment
            actions.append(.grow(stream.id, Self.portion))
            return
        }
        let hasRead = table.oldestBytes.map { $0.upperBound <= furthest } ?? false
        let isWanted = waiting.contains { $0.range.upperBound > stream.position }
        let mustPause = isShort && !hasRead && !isWanted
        if mustPause != stream.isPaused {
            self.stream?.isPaused = mustPause
            actions.append(mustPause ? .pause(stream.id) : .resume(stream.id))
        }
    }

    /// Starts the fetch if a read waits and none runs; begins it again if all waiting reads need bytes it is past.
    private mutating func restartIfNeeded(actions: inout [Action]) {
        guard !waiting.isEmpty, gone == nil else { return }
        if let stream {
            if waiting.contains(where: { isAhead($0.range, of: stream.position) }) { return }
            cancelStream(actions: &actions)
        }
        actions.append(.start(addStream()))
    }

    /// Whether a fetch that stands at `position` still brings all that is missing of a range.
    private func isAhead(_ range: Range<Int64>, of position: Int64) -> Bool {
        let block = SegmentLayout.blockFloor(position)
        guard range.upperBound > block else { return false }
        return range.lowerBound >= block || table.isPresent(range.lowerBound..<block)
    }

    private mutating func addStream() -> Fetch {
        let fetch = Fetch(
            id: FetchID(rawValue: nextFetch), range: 0..<limit, isDemand: true,
            reservation: min(Self.portion, SegmentLayout.blockCeiling(limit)))
        nextFetch += 1
        stream = Stream(id: fetch.id, reserved: fetch.reservation, unused: fetch.reservation)
        return fetch
    }

    private mutating func cancelStream(actions: inout [Action]) {
        guard let stream else { return }
        if stream.hasBegun { actions.append(.cancel(stream.id)) }
        removeStream(actions: &actions)
    }

    private mutating func removeStream(actions: inout [Action]) {
        guard let stream else { return }
        var freed: Int64 = 0
        if let current = stream.current {
            let missing = max(current.lowerBound, SegmentLayout.blockFloor(stream.position))..<current.upperBound
            if !missing.isEmpty { freed = table.markMissing(missing) }
        }
        if stream.hasBegun { actions.append(.settle(reserved: stream.reserved, unused: stream.unused)) }
        if freed > 0 { actions.append(.release(freed)) }
        self.stream = nil
    }

    /// What became a full run of blocks is no longer in flight, so that other fetches of the host have room.
    private mutating func settlePart(actions: inout [Action]) {
        guard let stream else { return }
        let filled = min(stream.reserved, stream.filling)
        self.stream?.reserved -= filled
        self.stream?.filling = 0
        if filled > 0 { actions.append(.settle(reserved: filled, unused: 0)) }
    }

    // MARK: Ending reads

    private mutating func answer(now: Instant, actions: inout [Action]) {
        var index = 0
        while index < waiting.count {
            let read = waiting[index]
            if read.range.lowerBound >= limit {
                waiting.remove(at: index)
                endWait(read, now: now, actions: &actions)
                actions.append(.endOfFile(read.id))
            } else if let (first, second) = table.slices(read.range.clamped(to: 0..<limit), now: now) {
                waiting.remove(at: index)
                endWait(read, now: now, actions: &actions)
                actions.append(.reply(read.id, first, second))
            } else {
                index += 1
            }
        }
    }

    private mutating func failWaiting(_ failure: any Error, now: Instant, actions: inout [Action]) {
        for read in waiting {
            endWait(read, now: now, actions: &actions)
            actions.append(.fail(read.id, failure))
        }
        waiting.removeAll()
    }

    private mutating func endWait(_ read: WaitingRead, now: Instant, actions: inout [Action]) {
        let freed = table.unpin(read.range, now: now)
        if freed > 0 { actions.append(.release(freed)) }
    }
}
