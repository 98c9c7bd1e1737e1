import Platform

/// One reader of a file, as far as its reads tell: perhaps sequential (`window` 0), or proven so.
struct ReadStream: Sendable {
    let id: UInt32
    /// How far ahead of the cursor bytes are wanted; 0 until the reader is proven sequential.
    var window: Int64 = 0
    /// The largest end of its reads.
    var cursor: Int64
    /// From the cursor up to here everything is here or on the way.
    var frontier: Int64
    /// The last read; out-of-order neighbours are joined to it.
    var last: Range<Int64>
    var lastUse: Instant
    /// The number of its last read and of its first, among all reads of the file.
    var lastRead: UInt64
    let firstRead: UInt64
    /// The cursor when the window got its present length.
    private(set) var openedAt: Int64 = 0
    /// Segments before this were marked as consumed.
    var consumedEnd: Int64
    var waitingReads = 0
    /// When a read last had to wait.
    var lastWait: Instant?
    /// Fetches on the way for it.
    var fetches = 0
    /// No prefetch before this (refused, failed).
    var pausedUntil = Instant(nanoseconds: 0)

    init(id: UInt32, read: Range<Int64>, number: UInt64, now: Instant) {
        self.id = id
        cursor = read.upperBound
        frontier = read.upperBound
        last = read
        lastUse = now
        lastRead = number
        firstRead = number
        consumedEnd = SegmentLayout.segmentFloor(read.lowerBound)
    }

    var isSequential: Bool { window > 0 }

    /// Opens the window of a proven reader that needs more than the head of the file.
    mutating func openWindow() { grow(to: SegmentLimits.firstWindow) }

    mutating func grow(to length: Int64) {
        window = length
        openedAt = cursor
    }

    /// The kernel's read-ahead reaches us out of order, from several threads: so far from its place may a read of this
    /// length be.
    static func slack(for length: Int) -> Int64 { max(SegmentLayout.segment, 16 * Int64(length)) }

    /// Whether a read belongs to this proven reader: near its cursor, or inside what is on the way for it.
    func matches(_ read: Range<Int64>) -> Bool {
        let slack = Self.slack(for: read.count)
        return read.lowerBound >= cursor - slack && read.lowerBound <= max(cursor, frontier) + slack
    }

    /// Reads that the kernel repeats or sends late find their bytes this far behind the cursor.
    var keptBehind: Int64 { Self.slack(for: last.count) }

    /// Whether a read goes on where the last one of this unproven reader ended. Judged by the read's own length, so that
    /// small reads at random places of a small file do not pass for one.
    func continues(_ read: Range<Int64>) -> Bool {
        read.lowerBound > last.lowerBound && read.upperBound > last.upperBound
            && read.lowerBound <= last.upperBound + 4 * Int64(read.count)
    }

    /// Whether a read is just before the last one: two neighbours that arrived in the wrong order.
    func precedes(_ read: Range<Int64>) -> Bool {
        read.lowerBound < last.lowerBound && read.upperBound >= last.lowerBound - 4 * Int64(read.count)
    }

    /// Whether its reader is short of bytes: the network limits it.
    func isStarved(now: Instant) -> Bool {
        guard let lastWait else { return false }
        return waitingReads > 0 || now - lastWait < .seconds(1)
    }
}
