/// Names one fetch of one `FileSegments`; never used twice there.
package struct FetchID: Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
