package import Platform

/// The bytes of one version of a file: which are here, on the way or missing, who waits for them, and what to fetch next.
///
/// A state machine without lock, clock or I/O. The caller keeps it under the file's one lock, passes an array for the
/// actions (used again from call to call), and runs them in order after unlocking. A hit allocates nothing and takes
/// constant time.
///
/// A fetch goes: `start` action; the caller reserves its memory and calls `begin` (or `refuse`s it); bytes by `landing`
/// and `commit`, from one thread at a time; `end`. A `cancel` action ends it early.
package struct FileSegments: Sendable {
    package typealias Action = SegmentAction

    package let size: Int64
    let limits: SegmentLimits
    var table: SegmentTable
    var pattern = ReadPattern()
    var plan: FetchPlan
    var waiting: [WaitingRead] = []
    var fetches: [RunningFetch] = []
    var failures = FailureMemory()
    var nextFetch: UInt64 = 1
    var gone: (any Error)?

    /// - Parameters:
    ///   - size: exact.
    ///   - pool: of the `MemoryBudget`.
    package init(size: Int64, limits: SegmentLimits, pool: SegmentPool) {
        self.size = size
        self.limits = limits
        table = SegmentTable(size: size, pool: pool)
        plan = FetchPlan(maximum: limits.maximumConnections)
    }

    /// A long fetch settles what has arrived in such portions, so that it counts less and less as in flight.
    private static var settlement: Int64 { 4 * SegmentLayout.segment }

    // MARK: Reads

    /// A read of the kernel.
    /// - Parameter length: more than 1 MiB is answered by 1 MiB.
    /// - Returns: `.ready` on a hit; `.waiting` if the answer comes as an action.
    package mutating func read(
        _ id: ReadID, offset: Int64, length: Int, now: Instant, actions: inout [Action]
    ) -> ReadOutcome {
        if let gone { return .failed(gone) }
        guard offset >= 0, offset < size, length > 0 else { return .endOfFile }
        let range = offset..<min(size, offset + min(Int64(length), SegmentLayout.segment))

        if let (first, second) = table.slices(range, now: now) {
            let index = noteRead(range, now: now, actions: &actions)
            schedule(index, now: now, actions: &actions)
            return .ready(first, second)
        }
        if let failure = failures.failure(for: range, now: now) { return .failed(failure) }

        let index = noteRead(range, now: now, actions: &actions)
        noteWait(index, now: now)
        table.pin(range)
        waiting.append(WaitingRead(id: id, range: range, stream: pattern.streams[index].id))
        schedule(index, now: now, actions: &actions)
        demand(waiting.count - 1, now: now, actions: &actions)
        return .waiting
    }

    /// The reader of a waiting read went away: it gets no answer. A fetch that nobody waits for any more is cancelled,
    /// unless a sequential reader wants it ahead.
    package mutating func abandon(_ id: ReadID, now: Instant, actions: inout [Action]) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        let read = waiting.remove(at: index)
        endWait(read, now: now, actions: &actions)
        let sequential = pattern.streams.filter(\.isSequential).map(\.id)
        cancel(actions: &actions) { $0.missing.overlaps(read.range) && !sequential.contains($0.stream) }
        repair(nil, now: now, actions: &actions)
    }

    // MARK: Fetches

    /// Registers a request that the caller sent on its own: the first bytes that OPEN asks for.
    /// - Parameter range: begins at a block and ends at a block or the file's end.
    /// - Returns: what to do as after a `start` action; shorter than `range` where bytes are here or on the way, and nil
    ///   if its first block is, or if the range is not of whole blocks.
    package mutating func adopt(_ range: Range<Int64>) -> Fetch? {
        let range = range.clamped(to: 0..<size)
        // A block counts as here once the fetch's last byte in it came, so the range must cover whole blocks.
        guard range.lowerBound % SegmentLayout.block == 0,
            range.upperBound == size || range.upperBound % SegmentLayout.block == 0
        else { return nil }
        guard gone == nil, !range.isEmpty, let run = table.missingRun(in: range), run.lowerBound == range.lowerBound
        else { return nil }
        return addFetch(run, isDemand: true, stream: nil)
    }

    /// The caller has the memory of a fetch and sends its request.
    /// - Returns: false if it is not wanted any more: give the reservation back.
    package mutating func begin(_ fetch: FetchID) -> Bool {
        guard let index = fetches.firstIndex(where: { $0.id == fetch }) else { return false }
        fetches[index].hasBegun = true
        return true
    }

    /// There is no memory for a prefetch: its blocks are missing again, and the reader's window shrinks. Instead of `begin`.
    package mutating func refuse(_ fetch: FetchID, now: Instant, actions: inout [Action]) {
        guard let index = fetches.firstIndex(where: { $0.id == fetch }) else { return }
        let fetch = removeFetch(at: index, actions: &actions)
        if let stream = pattern.index(of: fetch.stream) {
            pattern.update(stream) { stream in
                if stream.isSequential { stream.window = max(SegmentLimits.firstWindow, stream.window / 2) }
                stream.pausedUntil = now + .milliseconds(50)
            }
        }
        repair(fetch.missing, now: now, actions: &actions)
    }

    /// The next byte a fetch needs; nil if it is not wanted any more. Where a cut transfer goes on.
    package func nextOffset(of fetch: FetchID) -> Int64? { fetches.first { $0.id == fetch }?.position }

    /// Memory for the next bytes of a fetch.
    /// - Parameter count: bytes at hand.
    /// - Returns: nil if none are wanted: the fetch is complete or cancelled.
    package mutating func landing(for fetch: FetchID, count: Int) -> SegmentLanding? {
        guard count > 0, let index = fetches.firstIndex(where: { $0.id == fetch }) else { return nil }
        let running = fetches[index]
        let end = running.position + min(Int64(count), running.rest)
        guard running.position < end,
            let (buffer, count, added) = table.landing(
                running.position..<end, of: running.range, booking: running.booking)
        else { return nil }
        fetches[index].unused -= added
        return SegmentLanding(fetch: fetch, buffer: buffer, offset: running.position, count: Int(count))
    }

    /// The bytes of a landing are written. Answers every read that has all its bytes now.
    package mutating func commit(_ landing: SegmentLanding, now: Instant, actions: inout [Action]) {
        guard let index = fetches.firstIndex(where: { $0.id == landing.fetch }) else { return }
        let before = fetches[index]
        if before.stream != 0 {
            if !before.hasBytes { plan.noteFirstByte(now: now) }
            plan.noteBytes(Int64(landing.count), readers: pattern.activeStreams(now: now), now: now)
        }
        fetches[index].position += Int64(landing.count)
        let complete = before.missing.lowerBound..<fetches[index].missing.lowerBound
        if !complete.isEmpty {
            table.markPresent(complete, now: now)
            answer(complete, now: now, actions: &actions)
        }
        if fetches[index].filled >= Self.settlement {
            actions.append(.settle(reserved: fetches[index].filled, unused: 0))
            fetches[index].reserved -= fetches[index].filled
        }
        if let stream = pattern.index(of: before.stream) { schedule(stream, now: now, actions: &actions) }
    }

    /// Copies bytes of a fetch, contiguous from where it stands: landing, write and commit in one.
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
        return (nextOffset(of: fetch) ?? size) < size
    }

    /// A fetch is over. Ended early without failure it must have brought something; what it did not bring is missing
    /// again, and is asked for again if wanted.
    /// - Parameters:
    ///   - failure: fails the reads that wait for the rest; remembered for a second if any did.
    ///   - isOverload: the server said that it has too much to do (429, 503).
    package mutating func end(
        _ fetch: FetchID, failure: (any Error)?, isOverload: Bool = false, now: Instant, actions: inout [Action]
    ) {
        guard let index = fetches.firstIndex(where: { $0.id == fetch }) else { return }
        let fetch = removeFetch(at: index, actions: &actions)
        if isOverload { plan.noteOverload(now: now) }
        if let failure {
            plan.noteFailure(now: now)
            fail(fetch, failure, now: now, actions: &actions)
        }
        repair(fetch.missing, now: now, actions: &actions)
    }

    /// The version is gone: every waiting and every later read fails with this, and all memory is given back.
    package mutating func failAll(_ failure: any Error, actions: inout [Action]) {
        gone = failure
        for read in waiting { actions.append(.fail(read.id, failure)) }
        waiting.removeAll()
        removeAll(actions: &actions)
    }

    // MARK: Memory

    /// The last handle was closed: fetches that nobody waits for are cancelled. What is here stays until evicted,
    /// and counts as cold: the kernel's page cache has what was read.
    package mutating func close(now: Instant, actions: inout [Action]) {
        pattern.removeAll()
        cancel(actions: &actions) { _ in true }
        table.cool(by: MemoryBudget.cold)
        repair(nil, now: now, actions: &actions)
    }

    /// Cancels all fetches and gives all memory back. No read may be waiting.
    package mutating func removeAll(actions: inout [Action]) {
        pattern.removeAll()
        while !fetches.isEmpty { cancelFetch(at: fetches.count - 1, actions: &actions) }
        let freed = table.removeAll()
        if freed > 0 { actions.append(.release(freed)) }
    }

    /// Drops the segment that is needed least: one a sequential reader is past, else the least recently used. Never one
    /// with waiting reads or blocks on the way.
    /// - Returns: bytes freed, for the budget; 0 if there is nothing to drop.
    package mutating func evict() -> Int64 {
        guard let (bytes, freed) = table.evict() else { return 0 }
        pattern.noteHole(bytes)
        return freed
    }

    /// When the segment that `evict` would drop was last used; long ago if its reader is past it; nil if there is none.
    package var oldestUse: Instant? { table.oldestUse }

    /// Bytes that are here, in complete blocks.
    package var presentBytes: Int64 { table.presentBytes }

    /// Memory of all segments, in bytes: what the budget counts for this file besides running fetches.
    package var capacity: Int64 { table.capacity }

    package var waitingReads: Int { waiting.count }
    package var runningFetches: Int { fetches.count }

    /// How many connections proved best, nil until known; carried by the caller from file to file of one host.
    package var learnedConnections: Int? {
        get { plan.learned }
        set { if let newValue { plan.adopt(learned: newValue) } }
    }
}
