import Platform

/// Memory of whole segments, used again: the kernel clears each fresh page at its first touch, which costs more than the
/// copy that follows. Any thread.
// SAFETY: `idle` pointers are owned by the pool and touched only under its lock.
package final class SegmentPool: @unchecked Sendable {
    private struct State {
        var idle: [UnsafeMutableRawPointer] = []
        var lent = 0
    }

    private let state = Lock(State())
    private let limit: Int

    /// - Parameter limit: bytes; idle memory is kept only while lent and idle segments together stay within it.
    package init(limit: Int64) {
        self.limit = Int(limit / SegmentLayout.segment)
    }

    deinit {
        state.withLock { state in
            for memory in state.idle { memory.deallocate() }
        }
    }

    /// Bytes kept for the next segment.
    package var idleBytes: Int64 { state.withLock { Int64($0.idle.count) } * SegmentLayout.segment }

    func take() -> UnsafeMutableRawPointer {
        let idle: UnsafeMutableRawPointer? = state.withLock { state in
            state.lent += 1
            return state.idle.popLast()
        }
        return idle ?? .allocate(byteCount: Int(SegmentLayout.segment), alignment: 4096)
    }

    func giveBack(_ memory: UnsafeMutableRawPointer) {
        let isKept = state.withLock { state in
            state.lent -= 1
            guard state.lent + state.idle.count < limit else { return false }
            state.idle.append(memory)
            return true
        }
        if !isKept { memory.deallocate() }
    }
}
