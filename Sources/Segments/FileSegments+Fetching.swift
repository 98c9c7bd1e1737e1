import Platform

/// What to fetch, and the ends of reads and fetches. All under the caller's lock, like the rest.
extension FileSegments {
    // MARK: Readers

    /// Attributes a read to a reader.
    /// - Returns: its index in the pattern.
    mutating func noteRead(_ range: Range<Int64>, now: Instant, actions: inout [Action]) -> Int {
        let finding = pattern.note(range, now: now)
        if let replaced = finding.replaced {
            cancel(actions: &actions) { $0.stream == replaced }
            repair(nil, now: now, actions: &actions)
        }
        if finding.isNews { cancelLeft(now: now, actions: &actions) }
        markConsumed(finding.index, actions: &actions)
        return finding.index
    }

    /// A reader had to wait. A sequential one gets a larger window once it read a part of the present
    /// one, so that one wait counts once.
    mutating func noteWait(_ index: Int, now: Instant) {
        if pattern.streams[index].isSequential { plan.noteWait(readers: pattern.activeStreams(now: now)) }
        let smallest = plan.smallestWindow(share: share(now: now))
        let largest = min(limits.maximumWindow, plan.largestWindow)
        pattern.update(index) { stream in
            stream.waitingReads += 1
            stream.lastWait = now
            guard stream.isSequential, stream.window < largest else { return }
            if stream.window < SegmentLimits.firstWindow {
                stream.openWindow()
            } else if stream.window < smallest, stream.cursor >= stream.openedAt + stream.window / 8 {
                stream.grow(to: min(largest, max(2 * stream.window, min(4 * stream.window, smallest))))
            } else if stream.cursor >= stream.openedAt + stream.window / 4 {
                stream.grow(to: min(largest, 2 * stream.window))
            }
        }
    }

    /// Readers that turned elsewhere lose what is on the way for nobody; what is here stays.
    private mutating func cancelLeft(now: Instant, actions: inout [Action]) {
        for index in pattern.streams.indices where pattern.hasLeft(index, now: now) {
            let id = pattern.streams[index].id
            guard pattern.streams[index].fetches > 0 else { continue }
            cancel(actions: &actions) { $0.stream == id }
            pattern.update(index) { $0.window = SegmentLimits.firstWindow }
        }
    }

    /// Segments well behind a sequential reader are in the kernel's page cache: they go first when memory is needed. Only
    /// a few are kept at all, so that their memory, still in the processor's cache, serves the next ones.
    private mutating func markConsumed(_ index: Int, actions: inout [Action]) {
        let stream = pattern.streams[index]
        guard stream.isSequential else { return }
        var end = stream.consumedEnd
        while end + SegmentLayout.segment <= stream.cursor - stream.keptBehind {
            let isWanted = pattern.streams.contains {
                $0.id != stream.id && $0.isSequential && end + SegmentLayout.segment > $0.cursor - $0.keptBehind
                    && end < $0.frontier
            }
            if !isWanted, !table.markConsumed(SegmentLayout.segmentNumber(end)) { break }
            end += SegmentLayout.segment
        }
        guard end != stream.consumedEnd else { return }
        pattern.update(index) { $0.consumedEnd = end }
        var freed: Int64 = 0
        while Int64(table.consumedCount) * SegmentLayout.segment > limits.maximumConsumed { freed += evict() }
        if freed > 0 { actions.append(.release(freed)) }
    }

    private func share(now: Instant) -> Int {
        plan.share(readers: pattern.activeStreams(now: now))
    }

    // MARK: Starting fetches

    /// Starts what a sequential reader wants ahead: when less than half of its window is left, or, while it waits, as
    /// soon as there is room for another request.
    mutating func schedule(_ index: Int, now: Instant, actions: inout [Action]) {
        while true {
            let stream = pattern.streams[index]
            guard stream.isSequential, stream.frontier < size else { return }
            let isLow = stream.frontier - stream.cursor <= stream.window / 2
            guard isLow || stream.isStarved(now: now), now >= stream.pausedUntil else { return }

            let share = share(now: now)
            guard plan.mayStart(running: stream.fetches, share: share, shortest: shortestFetch(of: stream)) else {
                return
            }

            let target = stream.cursor + stream.window
            let start = SegmentLayout.blockFloor(stream.frontier)
            guard start < target,
                let next = table.firstMissing(in: start..<min(size, SegmentLayout.blockCeiling(target)))
            else {
                pattern.update(index) { [size] in $0.frontier = max($0.frontier, min(size, target)) }
                return
            }
            if next > stream.frontier {
                pattern.update(index) { $0.frontier = next }
                continue
            }
            if stream.window < SegmentLimits.firstWindow {
                guard isLow else { return }
                pattern.update(index) { $0.openWindow() }
                continue
            }
            let length = plan.length(
                window: stream.window, share: share, rest: size - next, onTheWay: bytesOnTheWay(for: stream))
            guard isLow || share > 1 && target - next >= length else { return }

            let end = Self.end(from: next, length: min(length, target - next), size: size)
            guard let run = table.missingRun(in: next..<end) else { return }
            let isDemand = run.lowerBound < stream.cursor && Int64(run.count) <= 2 * SegmentLimits.firstWindow
            let fetch = addFetch(run, isDemand: isDemand, stream: index)
            pattern.update(index) { $0.frontier = run.upperBound }
            actions.append(.start(fetch))
        }
    }

    /// Requests end at segments, so that no segment needs two of them.
    private static func end(from start: Int64, length: Int64, size: Int64) -> Int64 {
        let down = SegmentLayout.segmentFloor(start + length)
        return min(size, down > start ? down : SegmentLayout.segmentCeiling(start + length))
    }

    private func shortestFetch(of stream: ReadStream) -> (rest: Int64, length: Int64)? {
        fetches.lazy.filter { $0.stream == stream.id }.min { $0.rest < $1.rest }.map { ($0.rest, $0.length) }
    }

    private func bytesOnTheWay(for stream: ReadStream) -> Int64 {
        fetches.reduce(0) { $0 + ($1.stream == stream.id ? $1.rest : 0) }
    }

    /// Starts what a waiting read needs and nobody has asked for. What lies behind the bytes on the way for its
    /// sequential reader waits until the plan has a connection for it: the bytes before are needed first.
    mutating func demand(_ waiter: Int, now: Instant, actions: inout [Action]) {
        let read = waiting[waiter]
        let index = pattern.index(of: read.stream)
        let end = min(size, SegmentLayout.blockCeiling(read.range.upperBound))
        var start = SegmentLayout.blockFloor(read.range.lowerBound)
        var isDeferred = false
        while start < end, let run = table.missingRun(in: start..<end) {
            start = run.upperBound
            if let index, isDeferrable(run, stream: pattern.streams[index], now: now) {
                isDeferred = true
                continue
            }
            var wanted = run
            if run.upperBound == end {
                let stop = extended(run, stream: index.map { pattern.streams[$0] })
                wanted = table.missingRun(in: run.lowerBound..<stop) ?? run
            }
            let fetch = addFetch(wanted, isDemand: true, stream: index)
            if let index {
                pattern.update(index) { stream in
                    if stream.frontier >= wanted.lowerBound {
                        stream.frontier = max(stream.frontier, wanted.upperBound)
                    }
                }
            }
            actions.append(.start(fetch))
            start = wanted.upperBound
        }
        waiting[waiter].isDeferred = isDeferred
    }

    private func isDeferrable(_ run: Range<Int64>, stream: ReadStream, now: Instant) -> Bool {
        stream.isSequential && stream.fetches > 0 && now >= stream.pausedUntil
            && run.lowerBound >= SegmentLayout.blockFloor(stream.frontier)
    }

    /// A sequential reader gets the rest of the segment too; the first read of a file its head; a random one only its
    /// blocks.
    private func extended(_ run: Range<Int64>, stream: ReadStream?) -> Int64 {
        if let stream, stream.isSequential {
            let length = max(Int64(run.count), SegmentLimits.firstWindow)
            return max(run.upperBound, Self.end(from: run.lowerBound, length: length, size: size))
        }
        if run.lowerBound == 0 { return min(size, max(run.upperBound, SegmentLimits.head)) }
        return run.upperBound
    }

    mutating func addFetch(_ range: Range<Int64>, isDemand: Bool, stream: Int?) -> Fetch {
        let id = FetchID(rawValue: nextFetch)
        nextFetch += 1
        var owner: UInt32 = 0
        if let stream, pattern.streams[stream].isSequential {
            owner = pattern.streams[stream].id
            pattern.update(stream) { $0.fetches += 1 }
            plan.noteStart()
        }
        let running = RunningFetch(
            id: id, range: range, isDemand: isDemand, stream: owner, booking: table.beginFetch(range))
        fetches.append(running)
        return Fetch(id: id, range: range, isDemand: isDemand, reservation: running.reserved)
    }

    // MARK: Ending fetches

    mutating func removeFetch(at index: Int, actions: inout [Action]) -> RunningFetch {
        let fetch = fetches.remove(at: index)
        if fetch.stream != 0 {
            plan.noteEnd(hadBytes: fetch.hasBytes)
            if let stream = pattern.index(of: fetch.stream) { pattern.update(stream) { $0.fetches -= 1 } }
        }
        var freed: Int64 = 0
        if !fetch.missing.isEmpty {
            freed = table.markMissing(fetch.missing)
            pattern.noteHole(fetch.missing)
        }
        if fetch.hasBegun { actions.append(.settle(reserved: fetch.reserved, unused: fetch.unused)) }
        if freed > 0 { actions.append(.release(freed)) }
        return fetch
    }

    mutating func cancelFetch(at index: Int, actions: inout [Action]) {
        if fetches[index].hasBegun { actions.append(.cancel(fetches[index].id)) }
        _ = removeFetch(at: index, actions: &actions)
    }

    /// Cancels the fetches chosen by `isUnwanted` that no read waits for.
    mutating func cancel(actions: inout [Action], where isUnwanted: (RunningFetch) -> Bool) {
        for index in fetches.indices.reversed() where isUnwanted(fetches[index]) {
            let missing = fetches[index].missing
            if !waiting.contains(where: { $0.range.overlaps(missing) }) { cancelFetch(at: index, actions: &actions) }
        }
    }

    /// After a fetch ended: starts what waiting reads lost with it, what was deferred, and what readers want ahead.
    /// - Parameter hole: bytes that are missing again.
    mutating func repair(_ hole: Range<Int64>?, now: Instant, actions: inout [Action]) {
        for index in pattern.streams.indices { schedule(index, now: now, actions: &actions) }
        for index in waiting.indices {
            if waiting[index].isDeferred || hole.map({ $0.overlaps(waiting[index].range) }) ?? false {
                demand(index, now: now, actions: &actions)
            }
        }
    }

    // MARK: Ending reads

    /// Answers the reads that these complete blocks satisfy.
    mutating func answer(_ complete: Range<Int64>, now: Instant, actions: inout [Action]) {
        var index = 0
        while index < waiting.count {
            let read = waiting[index]
            guard read.range.overlaps(complete), let (first, second) = table.slices(read.range, now: now) else {
                index += 1
                continue
            }
            waiting.remove(at: index)
            endWait(read, now: now, actions: &actions)
            actions.append(.reply(read.id, first, second))
        }
    }

    /// Fails the reads that wait for the rest of a failed fetch.
    mutating func fail(_ fetch: RunningFetch, _ failure: any Error, now: Instant, actions: inout [Action]) {
        guard !fetch.missing.isEmpty else { return }
        var hasFailed = fetch.isDemand
        var index = 0
        while index < waiting.count {
            let read = waiting[index]
            guard read.range.overlaps(fetch.missing) else {
                index += 1
                continue
            }
            waiting.remove(at: index)
            endWait(read, now: now, actions: &actions)
            actions.append(.fail(read.id, failure))
            hasFailed = true
        }
        if hasFailed { failures.remember(failure, for: fetch.missing, now: now) }
        if let stream = pattern.index(of: fetch.stream) {
            pattern.update(stream) { $0.pausedUntil = now + .seconds(1) }
        }
    }

    mutating func endWait(_ read: WaitingRead, now: Instant, actions: inout [Action]) {
        let freed = table.unpin(read.range, now: now)
        if freed > 0 { actions.append(.release(freed)) }
        if let stream = pattern.index(of: read.stream) {
            pattern.update(stream) { stream in
                stream.waitingReads -= 1
                stream.lastWait = now
            }
        }
    }
}
