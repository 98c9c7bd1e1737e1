/// Names one started request of a client.
package struct TransferID: Hashable, Sendable {
    let rawValue: UInt64
}

/// Names one scheduled job of a client.
package struct TimerID: Hashable, Sendable {
    let rawValue: UInt64
}
