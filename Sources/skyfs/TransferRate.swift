import Platform

/// How fast something goes, seen over the last seconds.
struct TransferRate {
    /// Long enough to be calm, short enough to notice that nothing goes on.
    private static let window = Duration.seconds(5)

    private var samples: [(at: Instant, bytes: Int64)]

    init(now: Instant) { samples = [(now, 0)] }

    /// - Parameter bytes: all so far. Fewer than before: it began anew.
    mutating func update(bytes: Int64, now: Instant) {
        if let last = samples.last, bytes < last.bytes { samples = [] }
        samples.append((now, bytes))
        // The oldest sample stays outside the window, so that the whole window counts.
        while samples.count > 2, now - samples[1].at >= Self.window { samples.removeFirst() }
    }

    /// Bytes per second; nil before there is anything to tell.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let time = (last.at - first.at).inSeconds
        return time >= 0.2 ? Double(last.bytes - first.bytes) / time : nil
    }
}
