/// The numbers a file's prefetch keeps within. Bytes.
package struct SegmentLimits: Sendable {
    /// The most connections one file may use at once.
    package var maximumConnections: Int
    /// The largest window of one sequential reader.
    package var maximumWindow: Int64
    /// What a file keeps of segments that its sequential readers are past; the kernel's page cache has them too.
    package var maximumConsumed: Int64

    /// - Parameters:
    ///   - memory: the limit of the `MemoryBudget`; a window never takes more than half of it.
    ///   - maximumConnections: of the host, less those kept for metadata.
    package init(memory: Int64, maximumConnections: Int) {
        self.maximumConnections = max(1, maximumConnections)
        maximumConsumed = memory / 8
        maximumWindow = max(Self.firstWindow, min(Self.windowCap, memory / 2))
    }

    /// The head of a file, fetched by its first read: the kernel's usual read-ahead.
    package static let head: Int64 = 128 * 1024
    /// The window that a proven sequential reader starts with.
    static let firstWindow: Int64 = 1024 * 1024
    /// Seven connections of 8 MiB each, the size at which a round trip of 40 ms between two requests costs under 10 %.
    static let windowCap: Int64 = 64 * 1024 * 1024
}
