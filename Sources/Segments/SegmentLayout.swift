/// The two units of a file's bytes.
package enum SegmentLayout {
    /// Unit of presence, rounding and checksum: the kernel's smallest read-ahead step divides it, and a 4 KiB random
    /// read costs one or two of them.
    package static let block: Int64 = 32 * 1024
    /// Unit of memory, eviction and index row. The kernel's largest read (1 MiB) touches at most two.
    package static let segment: Int64 = 1024 * 1024

    static let blocksPerSegment = Int(segment / block)

    static func blockFloor(_ offset: Int64) -> Int64 { offset & ~(block - 1) }
    static func blockCeiling(_ offset: Int64) -> Int64 { (offset + block - 1) & ~(block - 1) }
    static func segmentFloor(_ offset: Int64) -> Int64 { offset & ~(segment - 1) }
    static func segmentCeiling(_ offset: Int64) -> Int64 { (offset + segment - 1) & ~(segment - 1) }
    static func segmentNumber(_ offset: Int64) -> Int64 { offset / segment }
}
