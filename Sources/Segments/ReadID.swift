/// Names one read that waits; chosen by the caller, unique among the waiting reads of one file.
package struct ReadID: Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
