/// A fetch between its start and its end.
struct RunningFetch: Sendable {
    let id: FetchID
    let range: Range<Int64>
    let isDemand: Bool
    /// The reader it was started for; 0 for none.
    let stream: UInt32
    let booking: SegmentTable.Booking
    /// The next byte to come.
    var position: Int64
    /// What the budget counts as in flight, and what of it became no memory yet.
    var reserved: Int64
    var unused: Int64
    /// The caller has the memory and sent the request.
    var hasBegun = false

    init(id: FetchID, range: Range<Int64>, isDemand: Bool, stream: UInt32, booking: SegmentTable.Booking) {
        self.id = id
        self.range = range
        self.isDemand = isDemand
        self.stream = stream
        self.booking = booking
        reserved = booking.bytes
        unused = booking.bytes
        position = range.lowerBound
    }

    /// Memory filled since the last settlement.
    var filled: Int64 { reserved - unused }

    var rest: Int64 { range.upperBound - position }
    var length: Int64 { range.upperBound - range.lowerBound }
    var hasBytes: Bool { position > range.lowerBound }

    /// The blocks not complete.
    var missing: Range<Int64> {
        position == range.upperBound ? position..<position : SegmentLayout.blockFloor(position)..<range.upperBound
    }
}
