import Glibc
import Platform

/// Memory of whole segments, used again: the kernel clears each fresh page at its first touch, which costs more than the
/// copy that follows. Comes in slabs of one huge page, which the kernel clears and maps at once. Any thread.
// SAFETY: all pointers lie in `slabs`, which live as long as the pool, and a segment's buffer keeps the pool alive; the
// lists are touched only under the lock.
package final class SegmentPool: @unchecked Sendable {
    private struct State {
        var slabs: [UnsafeMutableRawPointer] = []
        /// Ready to use.
        var idle: [UnsafeMutableRawPointer] = []
        /// Without memory behind them.
        var bare: [UnsafeMutableRawPointer] = []
        var lent = 0
    }

    /// A huge page of x86-64 and of arm64 with 4 KiB pages.
    private static let slab = 2 * Int(SegmentLayout.segment)

    private let state = Lock(State())
    private let limit: Int

    /// - Parameter limit: bytes; idle memory is kept only while lent and idle segments together stay within it.
    package init(limit: Int64) {
        self.limit = Int(limit / SegmentLayout.segment)
    }

    deinit {
        state.withLock { state in
            for slab in state.slabs { free(slab) }
        }
    }

    /// Bytes kept for the next segment.
    package var idleBytes: Int64 { state.withLock { Int64($0.idle.count) } * SegmentLayout.segment }

    func take() -> UnsafeMutableRawPointer {
        state.withLock { state in
            state.lent += 1
            return state.idle.popLast() ?? state.bare.popLast() ?? Self.addSlab(&state)
        }
    }

    func giveBack(_ memory: UnsafeMutableRawPointer) {
        let isKept = state.withLock { state in
            state.lent -= 1
            guard state.lent + state.idle.count < limit else { return false }
            state.idle.append(memory)
            return true
        }
        guard !isKept else { return }
        madvise(memory, Int(SegmentLayout.segment), MADV_DONTNEED)
        state.withLock { $0.bare.append(memory) }
    }

    private static func addSlab(_ state: inout State) -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, slab, slab) == 0, let memory else {
            // As everywhere in the program when the address space is used up.
            return .allocate(byteCount: Int(SegmentLayout.segment), alignment: 4096)
        }
        madvise(memory, slab, MADV_HUGEPAGE)
        state.slabs.append(memory)
        state.bare.append(memory + Int(SegmentLayout.segment))
        return memory
    }
}
