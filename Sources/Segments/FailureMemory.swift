import Platform

/// Blocks that failed repeat their failure at once for a second, so that a program that reads on does not wait for the
/// same dead server block after block.
struct FailureMemory: Sendable {
    private struct Record: Sendable {
        var range: Range<Int64>
        var failure: any Error
        var until: Instant
    }

    static var duration: Duration { .seconds(1) }
    /// Bounds the search; the oldest is forgotten.
    private static var maximumCount: Int { 64 }

    private var records: [Record] = []

    mutating func remember(_ failure: any Error, for range: Range<Int64>, now: Instant) {
        records.removeAll { $0.until <= now }
        if records.count == Self.maximumCount { records.removeFirst() }
        records.append(Record(range: range, failure: failure, until: now + Self.duration))
    }

    mutating func failure(for range: Range<Int64>, now: Instant) -> (any Error)? {
        if records.isEmpty { return nil }
        records.removeAll { $0.until <= now }
        return records.last { $0.range.overlaps(range) }?.failure
    }
}
