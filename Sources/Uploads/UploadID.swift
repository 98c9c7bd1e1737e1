/// Names one file of a drop folder from its creation until it was sent or removed; the number of its journal row and
/// of its file in the spool. Never used twice in one spool.
package struct UploadID: Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (left: UploadID, right: UploadID) -> Bool { left.rawValue < right.rawValue }
}
