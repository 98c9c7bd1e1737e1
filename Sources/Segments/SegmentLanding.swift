/// Where the next bytes of a fetch go: one run of memory in one segment.
package struct SegmentLanding: Sendable {
    let fetch: FetchID
    /// nil: these bytes are here already.
    let buffer: SegmentBuffer?
    let offset: Int64
    /// How many bytes fit; the rest needs another landing.
    package let count: Int

    /// Copies the first `count` of the bytes. Needs no lock: nobody reads them before `commit`.
    /// - Parameter bytes: at least `count`.
    package func write(_ bytes: RawSpan) {
        buffer?.write(bytes, count: min(count, bytes.byteCount), at: offset)
    }
}
