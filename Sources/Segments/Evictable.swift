package import Platform

/// Something that holds segments which the `MemoryBudget` may ask back: a file. Called with no lock of the budget held;
/// takes the file's own lock.
package protocol Evictable: AnyObject, Sendable {
    /// When the next segment to drop was last used; nil if none can be dropped.
    var oldestUse: Instant? { get }
    /// Drops it.
    /// - Returns: bytes freed; 0 if there was none. The budget counts them as given back.
    func evict() -> Int64
}
