import CSystem

/// Makes the C library give memory back that a burst needed, so that the process stays near its budget for months.
package enum MemoryReturn {
    /// Call it once, before other threads start.
    package static func configure() {
        // Without this, glibc raises the size from which it maps memory with each large block freed, up to 32 MiB, and
        // keeps what is below in heaps that seldom shrink (mallopt(3)).
        mallopt(M_MMAP_THRESHOLD, 128 * 1024)
        // Two threads do most of the work; more heaps only fragment.
        mallopt(M_ARENA_MAX, 2)
    }
}
