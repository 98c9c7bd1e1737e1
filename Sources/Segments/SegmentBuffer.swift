import Platform

/// The memory of one segment, or of the few blocks of it that a small fetch asked for.
///
/// Written once: a byte is written before its block is present, and never again. Slices keep the buffer alive after the
/// segment was evicted or got a larger buffer; only then the memory is used again.
// SAFETY: bytes of present blocks never change; bytes of blocks on the way are written by the one thread that receives,
// and read by nobody before the lock of the file has published them.
final class SegmentBuffer: @unchecked Sendable {
    /// The bytes of the file that fit.
    let range: Range<Int64>
    private let memory: UnsafeMutableRawPointer
    private let pool: SegmentPool

    init(range: Range<Int64>, pool: SegmentPool) {
        self.range = range
        self.pool = pool
        memory = Self.isWhole(range) ? pool.take() : .allocate(byteCount: range.count, alignment: 16)
    }

    deinit {
        if Self.isWhole(range) { pool.giveBack(memory) } else { memory.deallocate() }
    }

    private static func isWhole(_ range: Range<Int64>) -> Bool {
        range.upperBound - range.lowerBound == SegmentLayout.segment
    }

    var capacity: Int64 { range.upperBound - range.lowerBound }

    /// - Parameter bytes: of the file; must lie in `range` and be present.
    func slice(_ bytes: Range<Int64>) -> ByteSlice {
        let offset = Int(bytes.lowerBound - range.lowerBound)
        return ByteSlice(
            owner: self, base: UnsafeRawPointer(memory + offset), count: Int(bytes.upperBound - bytes.lowerBound))
    }

    /// Copies as much of `bytes` as `count` says to `offset` of the file, which must fit.
    func write(_ bytes: RawSpan, count: Int, at offset: Int64) {
        let destination = memory + Int(offset - range.lowerBound)
        bytes.withUnsafeBytes { source in
            // SAFETY: the landing was cut to fit buffer and source.
            if let base = source.baseAddress { destination.copyMemory(from: base, byteCount: count) }
        }
    }

    /// A larger buffer with the same bytes.
    func grown(to range: Range<Int64>) -> SegmentBuffer {
        let larger = SegmentBuffer(range: range, pool: pool)
        // SAFETY: the larger range contains this one.
        (larger.memory + Int(self.range.lowerBound - range.lowerBound))
            .copyMemory(from: memory, byteCount: Int(capacity))
        return larger
    }
}
