/// The room on the disk a spool folder lies on, in the terms of statvfs(3).
package struct SpoolStatistics: Hashable, Sendable {
    /// Bytes of one block.
    package let blockSize: UInt64
    package let blocks: UInt64
    package let freeBlocks: UInt64
    /// Blocks that are free for this user.
    package let availableBlocks: UInt64
    package let files: UInt64
    package let freeFiles: UInt64
}
