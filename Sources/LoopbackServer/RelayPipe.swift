import Platform

/// One direction of a relayed connection: bytes leave in order, after the link had time to carry them. Pure.
///
/// The link sends at its rate, one piece after another, and each piece arrives one delay after its last byte was sent.
struct RelayPipe {
    enum Item: Equatable {
        case bytes(ArraySlice<UInt8>)
        /// The source sends nothing more.
        case end
        case reset
    }

    private struct Entry {
        var item: Item
        var due: Instant
    }

    private let delay: Duration
    private let bytesPerSecond: Int64?
    private let limit: Int
    /// When the link has sent all that was put in.
    private var busyUntil: Instant
    private var entries: [Entry] = []
    private var first = 0
    private var queuedBytes = 0

    /// The most bytes put in at once: what the link carries in 20 ms, at most 64 KiB.
    let pieceSize: Int

    /// - Parameters:
    ///   - bytesPerSecond: nil for a link without a limit.
    ///   - opens: when the link takes the first byte.
    init(delay: Duration, bytesPerSecond: Int64?, opens: Instant) {
        self.delay = delay
        self.bytesPerSecond = bytesPerSecond.map { max(1, $0) }
        busyUntil = opens
        if let rate = self.bytesPerSecond {
            pieceSize = Int(min(65_536, max(1, rate / 50)))
            // Twice what is under way on the link, so that it never runs dry while the source is woken.
            let underWay = Double(rate) * delay.inSeconds
            limit = Int(min(max(2 * underWay, 1_048_576), 1_073_741_824))
        } else {
            pieceSize = 65_536
            limit = 16 << 20
        }
    }

    /// Whether the source may be read; false while enough is queued.
    var hasRoom: Bool { queuedBytes < limit }

    /// When the next item is due; nil when nothing is queued.
    var nextDue: Instant? { first < entries.count ? entries[first].due : nil }

    /// Takes what the source sent.
    mutating func put(_ item: Item, at now: Instant) {
        busyUntil = max(busyUntil, now)
        if case .bytes(let bytes) = item {
            queuedBytes += bytes.count
            if let rate = bytesPerSecond {
                busyUntil = busyUntil + .nanoseconds(Int64(Double(bytes.count) / Double(rate) * 1e9))
            }
        }
        entries.append(Entry(item: item, due: busyUntil + delay))
    }

    /// The next item, if it has arrived; it stays until it is removed.
    func item(at now: Instant) -> Item? {
        first < entries.count && entries[first].due <= now ? entries[first].item : nil
    }

    /// Takes the first bytes of the next item away; the whole item when none is left.
    mutating func removeBytes(_ count: Int) {
        guard first < entries.count, case .bytes(let bytes) = entries[first].item else { return }
        queuedBytes -= count
        if count < bytes.count {
            entries[first].item = .bytes(bytes.dropFirst(count))
        } else {
            removeItem()
        }
    }

    /// Takes the next item away.
    mutating func removeItem() {
        entries[first].item = .end
        first += 1
        // Moving the rest once in a while keeps removal cheap on average.
        if first == entries.count || first > 64 && first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
    }
}
