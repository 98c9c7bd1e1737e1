/// A run of bytes that never change while the slice lives, kept alive by their owner; copying a slice copies no bytes.
// SAFETY: whoever makes a slice promises that `base ..< base + count` stays readable and unchanged while `owner` lives.
package struct ByteSlice: @unchecked Sendable {
    private let owner: AnyObject
    private let base: UnsafeRawPointer
    package let count: Int

    package init(owner: AnyObject, base: UnsafeRawPointer, count: Int) {
        self.owner = owner
        self.base = base
        self.count = count
    }

    /// Gives the bytes to `body`; the pointer is not valid afterwards.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(owner) { try body(UnsafeRawBufferPointer(start: base, count: count)) }
    }

    /// A copy of the bytes, for tests and small answers.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
