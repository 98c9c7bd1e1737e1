import Platform

/// How many connections a file's sequential readers use at once, and how long their requests are.
///
/// It starts with one; while readers wait it tries all that are allowed, or on a fast line twice as many step by step: the
/// rate with all connections receiving is measured, and a step that did not bring a third more is taken back. So a server that throttles each connection gets as many as
/// allowed within a few round trips, while on a fast or shared line one connection stays alone.
struct FetchPlan: Sendable {
    private enum Phase: Sendable {
        /// Measuring; goes on to try more if readers wait.
        case measuring
        /// Trying more than `connections` were, at `rate` bytes per second.
        case trying(connections: Int, rate: Double, since: Instant)
        /// With what another file learned.
        case taught
        /// Satisfied until the next look.
        case settled(until: Instant)
    }

    /// A step must raise the rate by this; noise stays below, and a throttled second connection brings 2.
    private static let worthwhile = 1.3
    /// One core copies about 1.5 GB/s from a socket into segments; beyond a quarter of that, another connection was
    /// never faster.
    private static let fastEnough = 400e6
    /// Below this a line is far from what this program can take: all allowed are tried at once.
    private static let slow = 100e6
    /// A measurement: long enough to smooth bursts, short against the transfer of a large file.
    private static var interval: Int64 { 50_000_000 }
    private static let minimumBytes: Int64 = 256 * 1024
    /// A try that could not be measured in this time (the host gives no more connections) is taken back.
    private static var trialLimit: Duration { .seconds(2) }
    /// The network may have changed after this.
    private static var pause: Duration { .seconds(10) }
    /// A file read for longer than this makes sure of what another one learned.
    private static var trust: Duration { .seconds(1) }
    /// The longest request: on a fast line a request costs 0.2 ms, 1 % of this one's time.
    private static let longest: Int64 = 32 * 1024 * 1024
    /// The longest of several at once. Longer ones leave the reader waiting for the slowest.
    private static let longestParallel: Int64 = 16 * 1024 * 1024
    /// The shortest of several at once: 100 ms at 20 MB/s, against a round trip lost between two requests.
    private static let shortestParallel: Int64 = 2 * 1024 * 1024
    /// A connection's next request is sent when no more than this is left of the one before: 50 ms at 20 MB/s.
    private static let earlyRefill: Int64 = 1024 * 1024
    /// So many bytes in the window for each connection, or they would run dry between two requests.
    private static let windowPerConnection: Int64 = 4 * 1024 * 1024

    let maximum: Int
    /// How many fetches may be on the way for sequential readers.
    private(set) var connections: Int
    /// What proved best; for the next file of the same host. nil until known.
    private(set) var learned: Int?
    private var phase = Phase.measuring

    private var running = 0
    private var receiving = 0
    private var lastEvent = Instant(nanoseconds: 0)
    /// When the number of receiving fetches last changed; what comes at this instant was sent before.
    private var lastChange = Instant(nanoseconds: 0)
    /// Bytes and nanoseconds while just as many as planned were receiving.
    private var measuredBytes: Int64 = 0
    private var measuredTime: Int64 = 0
    private var isStarved = false
    /// Bytes per second of the last measurement.
    private var rate: Double?

    init(maximum: Int) {
        self.maximum = max(1, maximum)
        connections = 1
    }

    /// Takes over what another file of the host learned, unless this one has begun.
    mutating func adopt(learned: Int) {
        guard running == 0, rate == nil else { return }
        connections = min(max(1, learned), maximum)
        self.learned = connections
        phase = .taught
    }

    // MARK: Events

    /// A read had to wait.
    /// - Parameter readers: sequential readers at work; each has at least one connection.
    mutating func noteWait(readers: Int) {
        isStarved = true
        if connections < readers, connections < maximum {
            connections = min(readers, maximum)
            restartMeasurement()
        }
    }

    mutating func noteStart() { running += 1 }

    mutating func noteFirstByte(now: Instant) {
        receiving += 1
        (lastEvent, lastChange) = (now, now)
    }

    /// - Parameter readers: sequential readers at work, which share the connections evenly.
    mutating func noteBytes(_ count: Int64, readers: Int, now: Instant) {
        if receiving == share(readers: readers) * max(1, readers), now > lastChange {
            measuredTime += max(0, now.nanoseconds - lastEvent.nanoseconds)
            measuredBytes += count
        }
        lastEvent = now
        if measuredTime >= Self.interval, measuredBytes >= Self.minimumBytes {
            judge(Double(measuredBytes) / (Double(measuredTime) / 1e9), now: now)
        } else if case .trying(let before, _, let since) = phase, now - since > Self.trialLimit {
            settle(before, now: now)
        }
    }

    mutating func noteEnd(hadBytes: Bool) {
        running -= 1
        guard hadBytes else { return }
        receiving -= 1
        lastChange = lastEvent
    }

    /// The server is overloaded: one connection, and no more for a while.
    mutating func noteOverload(now: Instant) { settle(1, now: now) }

    /// A fetch failed: more connections may be the reason.
    mutating func noteFailure(now: Instant) {
        if case .trying(let before, _, _) = phase { settle(before, now: now) }
    }

    private mutating func judge(_ measured: Double, now: Instant) {
        rate = measured
        switch phase {
        case .measuring:
            if isStarved { tryMore(than: measured, now: now) }
        case .trying(let before, let rateBefore, _):
            if measured < rateBefore * Self.worthwhile {
                settle(before, now: now)
            } else {
                learned = connections
                tryMore(than: measured, now: now)
            }
        case .taught: phase = .settled(until: now + Self.trust)
        case .settled(let until):
            if now >= until, isStarved { tryMore(than: measured, now: now) }
        }
        restartMeasurement()
    }

    private mutating func tryMore(than measured: Double, now: Instant) {
        guard connections < maximum, measured < Self.fastEnough else {
            settle(connections, now: now)
            return
        }
        phase = .trying(connections: connections, rate: measured, since: now)
        connections = measured < Self.slow ? maximum : min(maximum, connections * 2)
    }

    private mutating func settle(_ count: Int, now: Instant) {
        connections = count
        learned = count
        phase = .settled(until: now + Self.pause)
        restartMeasurement()
    }

    private mutating func restartMeasurement() {
        measuredBytes = 0
        measuredTime = 0
        isStarved = false
    }

    // MARK: Advice

    /// How many fetches may be on the way for one of so many readers.
    func share(readers: Int) -> Int { max(1, connections / max(1, readers)) }

    /// The window below which `share` connections run dry.
    func smallestWindow(share: Int) -> Int64 {
        share > 1 ? Int64(share) * Self.windowPerConnection : SegmentLimits.firstWindow
    }

    /// The window beyond which more would only delay a seek: two seconds of the line.
    var largestWindow: Int64 {
        guard let rate else { return .max }
        return max(4 * SegmentLimits.firstWindow, SegmentLayout.segmentCeiling(Int64(rate * 2)))
    }

    /// The length of the next request of a reader.
    /// - Parameters:
    ///   - share: connections this reader may use.
    ///   - rest: bytes of the file from the start of the request.
    ///   - onTheWay: bytes still to come for the reader.
    func length(window: Int64, share: Int, rest: Int64, onTheWay: Int64) -> Int64 {
        guard share > 1 else { return min(Self.longest, max(window / 2, SegmentLimits.firstWindow)) }
        let even = SegmentLayout.segmentFloor(window / Int64(share))
        // Towards the end of the file the requests get shorter, so that all connections finish together.
        let fair = SegmentLayout.segmentCeiling((rest + onTheWay) / Int64(share))
        return max(Self.shortestParallel, min(Self.longestParallel, even, fair))
    }

    /// Whether another fetch may start for a reader.
    /// - Parameter shortest: of its running fetches, the bytes to come and the whole length of the one nearest its end.
    func mayStart(running: Int, share: Int, shortest: (rest: Int64, length: Int64)?) -> Bool {
        if running < share { return true }
        guard running == share, share < maximum, let shortest else { return false }
        return shortest.rest <= min(Self.earlyRefill, shortest.length / 4)
    }
}
