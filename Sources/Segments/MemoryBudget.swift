package import Platform

/// The one limit on the memory of all segments of all files. Any thread; call it with no other lock held.
///
/// A fetch reserves its memory before it is sent. From then on the bytes count as used until they are released or evicted,
/// and as in flight until the fetch settles. Where several hosts are in use, one host's fetches in flight hold no more than
/// half, so a stalled host leaves room for the others.
package final class MemoryBudget: Sendable {
    private struct Demand: Sendable {
        var bytes: Int64
        var host: String
        var granted: @Sendable () -> Void
    }

    private struct State {
        var used: Int64 = 0
        /// By host; one that ever had something in flight keeps its place.
        var inFlight: [String: Int64] = [:]
        var totalInFlight: Int64 = 0
        var queue: [Demand] = []
        var evictables: [ObjectIdentifier: any Evictable] = [:]
    }

    /// Prefetch evicts only what nobody used for this time (or what its reader is past).
    static var cold: Duration { .seconds(5) }

    /// Bytes.
    package let limit: Int64
    /// Where the segments' memory comes from.
    package let pool: SegmentPool
    private let state = Lock(State())

    package init(limit: Int64) {
        self.limit = limit
        pool = SegmentPool(limit: limit)
    }

    /// Bytes of all segments and reservations.
    package var used: Int64 { state.withLock { $0.used } }
    /// Bytes reserved for fetches that have not settled.
    package var inFlight: Int64 { state.withLock { $0.totalInFlight } }
    /// Demand that waits for memory.
    package var queued: Int { state.withLock { $0.queue.count } }

    package func register(_ evictable: any Evictable) {
        state.withLock { $0.evictables[ObjectIdentifier(evictable)] = evictable }
    }

    package func unregister(_ evictable: any Evictable) {
        state.withLock { $0.evictables[ObjectIdentifier(evictable)] = nil }
    }

    // MARK: Reserving

    /// Memory for a fetch that a read waits for. Evicts the least recently used segments of all files; one demand is
    /// admitted beyond the limit if nothing can be evicted.
    /// - Parameter granted: called once if this returned false, on the thread that frees the memory; perhaps before this
    ///   returns. In order of arrival, except that a host with half of the memory in flight lets others pass.
    /// - Returns: whether the memory is reserved now.
    package func reserveForDemand(
        _ bytes: Int64, host: String, granted: @escaping @Sendable () -> Void
    ) -> Bool {
        while true {
            let missing: Int64 = state.withLock { state in
                guard state.queue.isEmpty, hostHasRoom(bytes, host: host, state) else { return .max }
                let missing = state.used + bytes - limit
                if missing <= 0 { Self.take(bytes, host: host, &state) }
                return missing
            }
            if missing <= 0 { return true }
            if missing == .max || evict(missing, unusedSince: .distantFuture) == 0 { break }
        }
        state.withLock { $0.queue.append(Demand(bytes: bytes, host: host, granted: granted)) }
        admitQueued()
        return false
    }

    /// Memory for a fetch ahead of a reader. Evicts only what is cold.
    package func reserveForPrefetch(_ bytes: Int64, host: String, now: Instant) -> Bool {
        while true {
            let missing: Int64? = state.withLock { state in
                guard state.queue.isEmpty, hostHasRoom(bytes, host: host, state) else { return nil }
                guard state.used + bytes > limit else {
                    Self.take(bytes, host: host, &state)
                    return 0
                }
                return state.used + bytes - limit
            }
            guard let missing else { return false }
            if missing == 0 { return true }
            let coldest = Instant(nanoseconds: now.nanoseconds - Self.cold.wholeNanoseconds)
            if evict(missing, unusedSince: coldest) == 0 { return false }
        }
    }

    /// Counts bytes that are arriving already: the head that OPEN asked for. Always succeeds; evicts to make up for it.
    package func charge(_ bytes: Int64, host: String) {
        let excess = state.withLock { state in
            Self.take(bytes, host: host, &state)
            return state.used - limit
        }
        if excess > 0 { _ = evict(excess, unusedSince: .distantFuture) }
    }

    /// A fetch is over: `reserved` bytes are not in flight any more, `unused` of them not used either.
    package func settle(reserved: Int64, unused: Int64, host: String) {
        state.withLock { state in
            state.used -= unused
            state.totalInFlight -= reserved
            state.inFlight[host, default: 0] -= reserved
        }
        admitQueued()
    }

    /// Segments were dropped.
    package func release(_ bytes: Int64) {
        state.withLock { $0.used -= bytes }
        admitQueued()
    }

    // MARK: Admission

    private func hostHasRoom(_ bytes: Int64, host: String, _ state: State) -> Bool {
        let held = state.inFlight[host] ?? 0
        let isAlone = state.inFlight.isEmpty || state.inFlight.count == 1 && state.inFlight[host] != nil
        return isAlone || held == 0 || held + bytes <= limit / 2
    }

    private static func take(_ bytes: Int64, host: String, _ state: inout State) {
        state.used += bytes
        state.totalInFlight += bytes
        state.inFlight[host, default: 0] += bytes
    }

    /// Admits queued demand in order, as far as memory can be had.
    private func admitQueued() {
        var isExhausted = false
        while true {
            let (next, missing): (Demand?, Int64) = state.withLock { state in
                guard let index = state.queue.firstIndex(where: { hostHasRoom($0.bytes, host: $0.host, state) }) else {
                    return (nil, 0)
                }
                let demand = state.queue[index]
                let missing = state.used + demand.bytes - limit
                // Nothing can be evicted: one goes beyond the limit, so that reads always make progress.
                let isLast = isExhausted && (state.used <= limit || state.totalInFlight == 0)
                guard missing <= 0 || isLast else { return (nil, missing) }
                state.queue.remove(at: index)
                Self.take(demand.bytes, host: demand.host, &state)
                return (demand, 0)
            }
            if let next {
                next.granted()
            } else if missing > 0, !isExhausted {
                if evict(missing, unusedSince: .distantFuture) == 0 { isExhausted = true }
            } else {
                return
            }
        }
    }

    /// Evicts the least recently used segments of all files; a little more than asked for, because looking through
    /// thousands of small files takes longer than reading one.
    /// - Returns: bytes freed; 0 if nothing is left that is older than `unusedSince`.
    private func evict(_ bytes: Int64, unusedSince: Instant) -> Int64 {
        let wanted = max(bytes, limit / 32)
        let files = state.withLock { Array($0.evictables.values) }
        var candidates: [(use: Instant, file: any Evictable)] = []
        for file in files {
            if let use = file.oldestUse, use < unusedSince { candidates.append((use, file)) }
        }
        candidates.sort { $0.use < $1.use }
        var freed: Int64 = 0
        for (index, candidate) in candidates.enumerated() where freed < wanted {
            let next = index + 1 < candidates.count ? candidates[index + 1].use : unusedSince
            repeat {
                let step = candidate.file.evict()
                if step == 0 { break }
                freed += step
            } while freed < wanted && (candidate.file.oldestUse.map { $0 <= next && $0 < unusedSince } ?? false)
        }
        state.withLock { $0.used -= freed }
        return freed
    }
}
