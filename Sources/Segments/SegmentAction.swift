package import Platform

/// What the caller does after it released the lock of the file, in the order of the array.
package enum SegmentAction: Sendable {
    /// The answer to a read that waited; at most two segments.
    case reply(ReadID, ByteSlice, ByteSlice?)
    /// The answer to a read that waited past the end of a file of unknown size.
    case endOfFile(ReadID)
    case fail(ReadID, any Error)
    /// Reserve `reservation`, then call `begin` and send the request; or `refuse` it if it is prefetch without memory.
    case start(Fetch)
    /// Stop this transfer, which had begun. Nothing more is expected from it.
    case cancel(FetchID)
    /// Stop taking bytes of this transfer until `resume` (only from `StreamSegments`, like `grow`).
    case pause(FetchID)
    case resume(FetchID)
    /// Reserve so many more bytes for this running fetch, as for prefetch, and tell the outcome by `grow`.
    case grow(FetchID, Int64)
    /// A fetch that had begun is over: tell the budget that `reserved` bytes are no longer in flight, and give back the
    /// `unused` ones among them.
    case settle(reserved: Int64, unused: Int64)
    /// Segments were dropped: give these bytes back to the budget.
    case release(Int64)
}
