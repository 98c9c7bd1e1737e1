import Platform

/// Recognises up to four readers of one file by their reads alone.
struct ReadPattern: Sendable {
    /// What a read tells.
    struct Finding: Sendable {
        /// Index in `streams` of the reader it belongs to.
        var index: Int
        /// A reader that is not the one before, newly seen or newly proven.
        var isNews: Bool
        /// A proven reader that gave way to this one; its fetches have no owner any more.
        var replaced: UInt32?
    }

    static let maximumStreams = 4
    /// After so many reads elsewhere a reader without a waiting read has gone.
    private static let patience: UInt64 = 8

    private(set) var streams: [ReadStream] = []
    private var reads: UInt64 = 0
    private var nextID: UInt32 = 1
    private var lastStream: UInt32 = 0
    /// When a proven reader last went on after another's read: proof that several are at work.
    private var lastReturn: Instant?

    /// Attributes a read. A read that goes on where an unproven reader ended proves it.
    mutating func note(_ read: Range<Int64>, now: Instant) -> Finding {
        reads += 1
        if let index = nearestSequential(to: read) {
            if streams[index].id != lastStream, lastStream != 0 { lastReturn = now }
            advance(index, by: read, now: now)
            return Finding(index: absorb(into: index), isNews: false, replaced: nil)
        }
        if let index = streams.firstIndex(where: { !$0.isSequential && $0.continues(read) }) {
            advance(index, by: read, now: now)
            streams[index].window = SegmentLimits.head
            // From the read itself on, so that one request brings it and the window.
            streams[index].frontier = read.lowerBound
            return Finding(index: absorb(into: index), isNews: true, replaced: nil)
        }
        if let index = streams.firstIndex(where: { !$0.isSequential && $0.precedes(read) }) {
            streams[index].last = read.lowerBound..<streams[index].last.upperBound
            streams[index].lastUse = now
            streams[index].lastRead = reads
            return Finding(index: index, isNews: false, replaced: nil)
        }
        return addStream(read, now: now)
    }

    private func nearestSequential(to read: Range<Int64>) -> Int? {
        var nearest: Int?
        var distance = Int64.max
        for index in streams.indices where streams[index].isSequential && streams[index].matches(read) {
            let candidate = abs(read.lowerBound - streams[index].cursor)
            if candidate < distance { (nearest, distance) = (index, candidate) }
        }
        return nearest
    }

    private mutating func advance(_ index: Int, by read: Range<Int64>, now: Instant) {
        streams[index].last = read
        streams[index].lastUse = now
        streams[index].lastRead = reads
        lastStream = streams[index].id
        guard read.upperBound > streams[index].cursor else { return }
        streams[index].cursor = read.upperBound
    }

    /// A reader that caught up with another is one with it from now on.
    /// - Returns: the index of `index` after the removal.
    private mutating func absorb(into index: Int) -> Int {
        let stream = streams[index]
        guard
            let other = streams.firstIndex(where: {
                $0.id != stream.id && $0.isSequential && $0.waitingReads == 0 && $0.fetches == 0
                    && stream.cursor >= $0.cursor - SegmentLayout.segment && stream.cursor <= $0.frontier
            })
        else { return index }
        streams[index].window = max(stream.window, streams[other].window)
        streams.remove(at: other)
        return other < index ? index - 1 : index
    }

    private mutating func addStream(_ read: Range<Int64>, now: Instant) -> Finding {
        let stream = ReadStream(id: nextID, read: read, number: reads, now: now)
        nextID &+= 1
        lastStream = stream.id
        guard streams.count == Self.maximumStreams else {
            streams.append(stream)
            return Finding(index: streams.count - 1, isNews: true, replaced: nil)
        }
        // Unproven ones give way first: a burst of random reads must not push out a sequential reader.
        let index = streams.indices.min { leavesBefore(streams[$0], streams[$1]) } ?? 0
        let replaced = streams[index]
        streams[index] = stream
        return Finding(index: index, isNews: true, replaced: replaced.fetches > 0 ? replaced.id : nil)
    }

    private func leavesBefore(_ left: ReadStream, _ right: ReadStream) -> Bool {
        if left.isSequential != right.isSequential { return !left.isSequential }
        return left.lastRead < right.lastRead
    }

    /// Whether the reader of a proven stream has turned to another place, so that its prefetch is for nobody: another
    /// was proven, or many reads went elsewhere, since its last read. While several readers are at work, only one that is
    /// idle for a second counts as gone.
    func hasLeft(_ index: Int, now: Instant) -> Bool {
        let stream = streams[index]
        guard stream.isSequential, stream.waitingReads == 0, stream.lastRead < reads else { return false }
        if let lastReturn, now - lastReturn < .seconds(1), now - stream.lastUse < .seconds(1) { return false }
        return reads - stream.lastRead >= Self.patience
            || streams.contains { $0.isSequential && $0.firstRead > stream.lastRead }
    }

    /// How many proven readers share the connections.
    func activeStreams(now: Instant) -> Int {
        streams.count { $0.isSequential && ($0.waitingReads > 0 || now - $0.lastUse < .seconds(1)) }
    }

    // MARK: Changes from outside

    func index(of id: UInt32) -> Int? { streams.firstIndex { $0.id == id } }

    /// Changes a stream in place.
    mutating func update<Result>(_ index: Int, _ body: (inout ReadStream) -> Result) -> Result {
        body(&streams[index])
    }

    /// Some bytes are neither here nor on the way any more.
    mutating func noteHole(_ hole: Range<Int64>) {
        for index in streams.indices where hole.lowerBound < streams[index].frontier {
            if hole.upperBound > streams[index].cursor {
                streams[index].frontier = max(streams[index].cursor, hole.lowerBound)
            }
        }
    }

    mutating func removeAll() {
        streams.removeAll(keepingCapacity: true)
        lastStream = 0
    }
}
