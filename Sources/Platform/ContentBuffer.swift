/// Bytes at a fixed address, to be answered in slices.
// SAFETY: the memory is written once in `init`, before anyone else can see it, and freed in `deinit`.
package final class ContentBuffer: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    package init(_ bytes: [UInt8]) {
        memory = .allocate(byteCount: bytes.count, alignment: 1)
        memory.copyBytes(from: bytes)
    }

    deinit { memory.deallocate() }

    /// At most `count` bytes from `offset`; nil at and past the end.
    package func slice(offset: Int, count: Int) -> ByteSlice? {
        guard offset >= 0, offset < memory.count, count > 0, let base = memory.baseAddress else { return nil }
        return ByteSlice(owner: self, base: base + offset, count: min(count, memory.count - offset))
    }
}
