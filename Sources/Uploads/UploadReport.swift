package import Platform

/// One file of the queue as it is shown to people.
package struct UploadReport: Hashable, Sendable {
    package let state: UploadState
    package let version: Int64
    /// Tries of this version so far.
    package let attempts: Int
    /// When it is tried again or its quiet time ends; nil if that hangs on something else.
    package let nextTry: Instant?
    /// Status of the last answer; 0 if there was none.
    package let status: Int
    /// What the last try came to; empty if there was none.
    package let words: String
}
