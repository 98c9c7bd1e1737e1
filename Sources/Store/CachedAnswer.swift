/// An answer of a service as it came.
package struct CachedAnswer: Hashable, Sendable {
    package var body: [UInt8]
    /// Its meaning is the caller's.
    package var kind: Int
    /// When it came, in milliseconds since 1970.
    package var fetched: Int64

    package init(body: [UInt8], kind: Int = 0, fetched: Int64) {
        self.body = body
        self.kind = kind
        self.fetched = fetched
    }
}
