import Platform

/// Which bytes of a file are here, on the way or missing; the memory that holds them; and the order in which segments
/// may be dropped. Pure; every operation on one segment takes constant time.
struct SegmentTable: Sendable {
    private struct Entry {
        var number: Int64
        var buffer: SegmentBuffer?
        var present = BlockSet.none
        var inFlight = BlockSet.none
        /// Reads that wait for some of its blocks.
        var pins = 0
        var lastUse = Instant(nanoseconds: 0)
        /// Neighbours in the eviction order; -1 at the ends. Only for entries that may be evicted.
        var older = -1
        var newer = -1
        var isListed = false
        var isConsumed = false
    }

    /// Memory a fetch books when it starts: its outer segments may need only a part of one.
    struct Booking: Sendable {
        /// What the buffer of the first and of the last segment must be able to hold; segments between need all.
        var first: Range<Int64>
        var last: Range<Int64>
        /// Bytes beyond what these segments hold already.
        var bytes: Int64
    }

    /// A segment touched by no more than this gets memory for just these blocks: one file's head, a random read.
    static let smallestBuffer: Int64 = 128 * 1024

    /// The last use of what was consumed: before that of anything else.
    private static let longAgo = Instant(nanoseconds: .min / 2)

    /// Exact or, while unknown, larger than any offset in use.
    private(set) var size: Int64
    private let pool: SegmentPool
    private var entries: [Entry] = []
    private var unusedSlots: [Int] = []
    private var slots: [Int64: Int] = [:]
    private var oldest = -1
    private var newest = -1
    /// The consumed ones are the oldest, in the order in which they were marked; this is the last of them.
    private var newestConsumed = -1
    /// Bytes of the blocks that are here.
    private(set) var presentBytes: Int64 = 0
    /// Capacity of all buffers.
    private(set) var capacity: Int64 = 0
    /// Segments marked as consumed and not used since.
    private(set) var consumedCount = 0

    init(size: Int64, pool: SegmentPool) {
        self.size = size
        self.pool = pool
    }

    // MARK: Reading

    /// The bytes if all are here; marks their segments as used.
    /// - Parameter range: not empty, inside the file, at most two segments.
    mutating func slices(_ range: Range<Int64>, now: Instant) -> (ByteSlice, ByteSlice?)? {
        let number = SegmentLayout.segmentNumber(range.lowerBound)
        let boundary = (number + 1) * SegmentLayout.segment
        let head = range.lowerBound..<min(range.upperBound, boundary)
        guard let slot = slots[number], let first = slice(head, slot: slot) else { return nil }
        guard range.upperBound > boundary else {
            touch(slot, now: now)
            return (first, nil)
        }
        guard let next = slots[number + 1], let second = slice(boundary..<range.upperBound, slot: next) else {
            return nil
        }
        touch(slot, now: now)
        touch(next, now: now)
        return (first, second)
    }

    private func slice(_ bytes: Range<Int64>, slot: Int) -> ByteSlice? {
        guard entries[slot].present.isSuperset(of: blocks(bytes, of: entries[slot].number)) else { return nil }
        return entries[slot].buffer?.slice(bytes)
    }

    func isPresent(_ range: Range<Int64>) -> Bool {
        for part in parts(of: range) {
            guard let slot = slots[part.number], entries[slot].present.isSuperset(of: part.blocks) else { return false }
        }
        return true
    }

    /// Where the first block in `range` begins that is neither here nor on the way.
    /// - Parameter range: begins at a block.
    func firstMissing(in range: Range<Int64>) -> Int64? {
        for part in parts(of: range) {
            var missing = part.blocks
            if let slot = slots[part.number] {
                missing = missing.subtracting(entries[slot].present.union(entries[slot].inFlight))
            }
            if let block = missing.first(from: 0) {
                return part.number * SegmentLayout.segment + Int64(block) * SegmentLayout.block
            }
        }
        return nil
    }

    /// The first run of blocks in `range` that is neither here nor on the way, cut to `range`.
    /// - Parameter range: begins at a block.
    func missingRun(in range: Range<Int64>) -> Range<Int64>? {
        var start: Int64?
        for part in parts(of: range) {
            let base = part.number * SegmentLayout.segment
            var known = BlockSet.none
            if let slot = slots[part.number] { known = entries[slot].present.union(entries[slot].inFlight) }
            var rest = part.blocks
            if start == nil {
                rest = rest.subtracting(known)
                guard let block = rest.first(from: 0) else { continue }
                start = base + Int64(block) * SegmentLayout.block
            }
            if let start, let block = known.first(from: Int(max(0, start - base) / SegmentLayout.block)) {
                let end = base + Int64(block) * SegmentLayout.block
                if end < range.upperBound { return start..<end }
            }
        }
        return start.map { $0..<range.upperBound }
    }

    // MARK: Waiting

    /// Keeps the segments of a waiting read from eviction.
    mutating func pin(_ range: Range<Int64>) {
        for part in parts(of: range) {
            let slot = slotForWriting(part.number)
            entries[slot].pins += 1
            unlist(slot)
        }
    }

    /// - Returns: bytes freed.
    mutating func unpin(_ range: Range<Int64>, now: Instant) -> Int64 {
        var freed: Int64 = 0
        for part in parts(of: range) {
            guard let slot = slots[part.number] else { continue }
            entries[slot].pins -= 1
            entries[slot].lastUse = max(entries[slot].lastUse, now)
            freed += settle(slot)
        }
        return freed
    }

    // MARK: Fetching

    /// Marks missing blocks as on the way.
    mutating func beginFetch(_ range: Range<Int64>) -> Booking {
        var booking = Booking(first: range, last: range, bytes: 0)
        let lastNumber = SegmentLayout.segmentNumber(range.upperBound - 1)
        for part in parts(of: range) {
            let slot = slotForWriting(part.number)
            let needed = bufferRange(for: part.bytes, slot: slot)
            booking.bytes += needed.upperBound - needed.lowerBound - (entries[slot].buffer?.capacity ?? 0)
            if part.bytes.lowerBound == range.lowerBound { booking.first = needed }
            if part.number == lastNumber { booking.last = needed }
            entries[slot].inFlight = entries[slot].inFlight.union(part.blocks)
            unlist(slot)
        }
        return booking
    }

    private func bufferRange(for bytes: Range<Int64>, slot: Int) -> Range<Int64> {
        if let buffer = entries[slot].buffer {
            if buffer.range.contains(bytes) { return buffer.range }
        } else if entries[slot].inFlight.isEmpty && bytes.upperBound - bytes.lowerBound <= Self.smallestBuffer {
            return bytes
        }
        return wholeRange(entries[slot].number)
    }

    private func wholeRange(_ number: Int64) -> Range<Int64> {
        let base = number * SegmentLayout.segment
        return base..<min(base + SegmentLayout.segment, size)
    }

    /// Memory for bytes of a running fetch in the segment where `range` begins; allocates it if need be.
    /// - Returns: where to write, how many bytes fit there, and the capacity added.
    mutating func landing(
        _ range: Range<Int64>, of fetch: Range<Int64>, booking: Booking
    ) -> (buffer: SegmentBuffer, count: Int64, added: Int64)? {
        let number = SegmentLayout.segmentNumber(range.lowerBound)
        guard let slot = slots[number] else { return nil }
        let whole = wholeRange(number)
        let bytes = range.lowerBound..<min(range.upperBound, whole.upperBound)
        let count = bytes.upperBound - bytes.lowerBound
        if let buffer = entries[slot].buffer, buffer.range.contains(bytes) { return (buffer, count, 0) }

        var needed = whole
        if number == SegmentLayout.segmentNumber(fetch.lowerBound) {
            needed = booking.first
        } else if number == SegmentLayout.segmentNumber(fetch.upperBound - 1) {
            needed = booking.last
        }
        let old = entries[slot].buffer
        if let old, !needed.contains(old.range) { needed = whole }
        let buffer = old?.grown(to: needed) ?? SegmentBuffer(range: needed, pool: pool)
        entries[slot].buffer = buffer
        let added = buffer.capacity - (old?.capacity ?? 0)
        capacity += added
        return (buffer, count, added)
    }

    /// Blocks of a fetch are complete.
    mutating func markPresent(_ range: Range<Int64>, now: Instant) {
        for part in parts(of: range) {
            guard let slot = slots[part.number] else { continue }
            entries[slot].present = entries[slot].present.union(part.blocks)
            entries[slot].inFlight = entries[slot].inFlight.subtracting(part.blocks)
            entries[slot].lastUse = now
            _ = settle(slot)
        }
        presentBytes += range.upperBound - range.lowerBound
    }

    /// Blocks of a fetch will not come: they are missing again.
    /// - Returns: bytes freed, where nothing of a segment is left.
    mutating func markMissing(_ range: Range<Int64>) -> Int64 {
        var freed: Int64 = 0
        for part in parts(of: range) {
            guard let slot = slots[part.number] else { continue }
            entries[slot].inFlight = entries[slot].inFlight.subtracting(part.blocks)
            freed += settle(slot)
        }
        return freed
    }

    // MARK: Eviction

    /// The last use of the segment that is evicted next; nil if none may be.
    var oldestUse: Instant? { oldest < 0 ? nil : entries[oldest].lastUse }

    /// The bytes of the segment that is evicted next.
    var oldestBytes: Range<Int64>? { oldest < 0 ? nil : wholeRange(entries[oldest].number) }

    /// Drops the next segment.
    mutating func evict() -> (bytes: Range<Int64>, freed: Int64)? {
        guard oldest >= 0 else { return nil }
        let bytes = wholeRange(entries[oldest].number)
        return (bytes, drop(oldest))
    }

    /// Lets a segment be evicted before all others: its reader is past it.
    /// - Returns: false if reads still wait for some of it, or blocks of it are on the way.
    mutating func markConsumed(_ number: Int64) -> Bool {
        guard let slot = slots[number] else { return true }
        guard entries[slot].isListed else { return false }
        guard !entries[slot].isConsumed else { return true }
        unlist(slot)
        setConsumed(slot, true)
        entries[slot].lastUse = Self.longAgo
        insert(slot, after: newestConsumed)
        newestConsumed = slot
        return true
    }

    /// Makes what may be evicted older, in its present order.
    mutating func cool(by age: Duration) {
        var slot = newest
        while slot >= 0 {
            entries[slot].lastUse.nanoseconds -= age.wholeNanoseconds
            slot = entries[slot].older
        }
    }

    /// Drops everything.
    mutating func removeAll() -> Int64 {
        let freed = capacity
        self = SegmentTable(size: size, pool: pool)
        return freed
    }

    /// The end of a file of unknown size is known now.
    mutating func cut(at size: Int64) { self.size = size }

    // MARK: Entries

    private mutating func slotForWriting(_ number: Int64) -> Int {
        if let slot = slots[number] { return slot }
        let slot: Int
        if let unused = unusedSlots.popLast() {
            entries[unused] = Entry(number: number)
            slot = unused
        } else {
            slot = entries.count
            entries.append(Entry(number: number))
        }
        slots[number] = slot
        return slot
    }

    /// An entry without waiters and blocks on the way is listed for eviction, or dropped if it holds nothing.
    private mutating func settle(_ slot: Int) -> Int64 {
        guard entries[slot].pins == 0, entries[slot].inFlight.isEmpty, !entries[slot].isListed else { return 0 }
        if entries[slot].present.isEmpty { return drop(slot) }
        list(slot)
        return 0
    }

    private mutating func drop(_ slot: Int) -> Int64 {
        unlist(slot)
        let freed = entries[slot].buffer?.capacity ?? 0
        let base = entries[slot].number * SegmentLayout.segment
        capacity -= freed
        presentBytes -= Int64(entries[slot].present.count) * SegmentLayout.block
        // The file's last block may be shorter.
        if size > base, size < base + SegmentLayout.segment,
            entries[slot].present.isSuperset(of: BlockSet(touchedBy: (size - 1 - base)..<(size - base)))
        {
            presentBytes += SegmentLayout.blockCeiling(size) - size
        }
        slots[entries[slot].number] = nil
        entries[slot].buffer = nil
        unusedSlots.append(slot)
        return freed
    }

    private mutating func setConsumed(_ slot: Int, _ isConsumed: Bool) {
        guard entries[slot].isConsumed != isConsumed else { return }
        entries[slot].isConsumed = isConsumed
        consumedCount += isConsumed ? 1 : -1
    }

    private mutating func touch(_ slot: Int, now: Instant) {
        entries[slot].lastUse = now
        guard entries[slot].isListed, newest != slot || entries[slot].isConsumed else { return }
        unlist(slot)
        list(slot)
    }

    private mutating func list(_ slot: Int) { insert(slot, after: newest) }

    /// - Parameter older: the neighbour that goes before; -1 for none.
    private mutating func insert(_ slot: Int, after older: Int) {
        let newer = older >= 0 ? entries[older].newer : oldest
        entries[slot].isListed = true
        entries[slot].older = older
        entries[slot].newer = newer
        if older >= 0 { entries[older].newer = slot } else { oldest = slot }
        if newer >= 0 { entries[newer].older = slot } else { newest = slot }
    }

    private mutating func unlist(_ slot: Int) {
        guard entries[slot].isListed else { return }
        let (older, newer) = (entries[slot].older, entries[slot].newer)
        setConsumed(slot, false)
        if slot == newestConsumed { newestConsumed = older }
        if older >= 0 { entries[older].newer = newer } else { oldest = newer }
        if newer >= 0 { entries[newer].older = older } else { newest = older }
        entries[slot].isListed = false
        entries[slot].older = -1
        entries[slot].newer = -1
    }

    // MARK: Geometry

    private func blocks(_ bytes: Range<Int64>, of number: Int64) -> BlockSet {
        let base = number * SegmentLayout.segment
        return BlockSet(touchedBy: (bytes.lowerBound - base)..<(bytes.upperBound - base))
    }

    private func parts(of range: Range<Int64>) -> SegmentParts { SegmentParts(of: range) }
}
