import Glibc

/// A point of the monotonic clock, in nanoseconds. Pure logic takes it as a parameter; only the edges call `now()`.
package struct Instant: Comparable, Hashable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    package static let distantFuture = Instant(nanoseconds: .max)

    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Saturates instead of overflowing, so `distantFuture` stays where it is.
    package static func + (left: Instant, right: Duration) -> Instant {
        let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.wholeNanoseconds)
        return overflow ? .distantFuture : Instant(nanoseconds: sum)
    }

    package static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds &- right.nanoseconds)
    }
}

extension Duration {
    /// Saturating count of nanoseconds.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : scaled + attoseconds / 1_000_000_000
    }

    /// Seconds as a floating-point number, for C interfaces and people.
    package var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
