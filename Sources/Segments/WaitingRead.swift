/// A read whose bytes are not all here.
struct WaitingRead: Sendable {
    let id: ReadID
    let range: Range<Int64>
    /// The reader it belongs to.
    let stream: UInt32
    /// Some of its bytes are not asked for yet: its sequential reader has enough on the way before them.
    var isDeferred = false
}
