import Platform

/// Memory that `ByteSlice`s can keep alive.
// SAFETY: `base` points at memory that is written before the object is shared and freed with it.
final class Memory: @unchecked Sendable {
    private let base: UnsafeMutableRawBufferPointer
    let count: Int

    init(_ bytes: [UInt8]) {
        count = bytes.count
        base = .allocate(byteCount: max(bytes.count, 1), alignment: 1)
        base.copyBytes(from: bytes)
    }

    deinit { base.deallocate() }

    func slice(_ range: Range<Int>) -> ByteSlice? {
        base.baseAddress.map {
            ByteSlice(owner: self, base: UnsafeRawPointer($0) + range.lowerBound, count: range.count)
        }
    }
}
