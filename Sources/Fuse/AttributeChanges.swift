/// What a SETATTR wants changed; nil stays as it is. Changes of the access time are left out: there is none.
package struct AttributeChanges: Hashable, Sendable {
    /// Permission bits, without the type and the set-ID bits.
    package var permissions: UInt32?
    package var user: UInt32?
    package var group: UInt32?
    /// Bytes; never negative.
    package var size: Int64?
    /// Nanoseconds since 1970; "now" is the time the request came.
    package var modified: Int64?

    package init() {}
}
