import Platform

/// The times when a whole target is left alone, because what went wrong would hit every file: refused credentials, no
/// connection, a server that asked for time. When such a time is over one file goes as a probe; its end decides.
struct TargetPause: Sendable {
    private enum Cause: Sendable { case unauthorised, unreachable, asked }

    private struct Pause: Sendable {
        var cause: Cause
        var until: Instant
        /// Pauses for the same cause before this one.
        var level: Int
        var words: String
    }

    /// Credentials are tried seldom: some servers lock the account after a few wrong ones.
    private static let credentials = (first: Duration.seconds(10), limit: Duration.seconds(60))
    /// A server may ask for less or more; files are not kept for longer without another try.
    private static let asked = (shortest: Duration.seconds(1), longest: Duration.seconds(3600))

    private let backoff: Backoff
    private var pause: Pause?
    private var probe: UploadSend?

    init(backoff: Backoff) { self.backoff = backoff }

    /// What holds the target back; nil if nothing does.
    var state: (words: String, until: Instant)? { pause.map { ($0.words, $0.until) } }

    /// From when a file may start; nil: only after the running probe ended.
    var opens: Instant? {
        guard let pause else { return Instant(nanoseconds: .min) }
        return probe == nil ? pause.until : nil
    }

    mutating func started(_ send: UploadSend) {
        if pause != nil { probe = send }
    }

    mutating func resume(now: Instant) {
        guard var present = pause else { return }
        present.until = min(present.until, now)
        present.level = 0
        pause = present
    }

    mutating func ended(_ send: UploadSend, _ outcome: SendOutcome, now: Instant, random: Double) {
        let wasProbe = probe == send
        if wasProbe { probe = nil }
        // What began before the pause says nothing new.
        guard pause == nil || wasProbe else { return }
        switch outcome {
        case .unauthorised(_, let words):
            let level = nextLevel(.unauthorised)
            let doubled = Self.credentials.first * (1 << min(level, 3))
            begin(.unauthorised, until: now + min(doubled, Self.credentials.limit), level: level, words: words)
        case .unreachable(let words):
            let level = nextLevel(.unreachable)
            begin(
                .unreachable, until: now + backoff.delay(attempt: level, random: random), level: level, words: words)
        case .again(let after?, _, let words):
            let wait = min(max(after, Self.asked.shortest), Self.asked.longest)
            begin(.asked, until: now + wait, level: 0, words: words)
        case .cancelled: break
        case .success, .refused, .again, .notSent, .lost: pause = nil
        }
    }

    private func nextLevel(_ cause: Cause) -> Int {
        guard let pause, pause.cause == cause else { return 0 }
        return pause.level + 1
    }

    private mutating func begin(_ cause: Cause, until: Instant, level: Int, words: String) {
        pause = Pause(cause: cause, until: until, level: level, words: words)
    }
}
