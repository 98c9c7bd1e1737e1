/// A run of bytes to be got from the source.
package struct Fetch: Sendable {
    package let id: FetchID
    /// Begins at a block; ends at a block or at the end of the file. Never empty.
    package let range: Range<Int64>
    /// Whether a read waits for some of it. Otherwise it is prefetch, which may be refused.
    package let isDemand: Bool
    /// Bytes of memory to reserve in the `MemoryBudget` before it is sent: what its segments may need on top of what
    /// they hold already.
    package let reservation: Int64
}
