import Glibc
import Synchronization

/// Lets answers through to the device until it is closed for good. Without it a late answer could be written to a
/// descriptor number that has a new owner by then.
struct ReplyGate: ~Copyable, Sendable {
    /// Bit 0: closed. The rest: twice the number of answers that are being written.
    private let word = Atomic<Int>(0)

    /// Runs `write` and returns its result; nil, without running it, once the gate is closed.
    func pass(_ write: () -> Int32) -> Int32? {
        let before = word.wrappingAdd(2, ordering: .acquiringAndReleasing).oldValue
        defer { word.wrappingSubtract(2, ordering: .releasing) }
        return before & 1 == 0 ? write() : nil
    }

    /// Makes all that was written before earlier answers visible to the thread that got a request they led to (a READ
    /// uses what OPEN made). The kernel orders the two; this says so to the memory model.
    func followEarlierAnswers() { _ = word.load(ordering: .acquiring) }

    /// Closes the gate and waits for the answers inside; each is one system call that copies memory.
    func close() {
        word.bitwiseOr(1, ordering: .acquiringAndReleasing)
        while word.load(ordering: .acquiring) != 1 { sched_yield() }
    }
}
