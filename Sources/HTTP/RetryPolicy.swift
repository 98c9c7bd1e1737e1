package import Platform

/// Whether and when a request that failed is sent again. Pure.
package struct RetryPolicy: Sendable {
    private let backoff: Backoff
    private let maximumRetries: Int
    private var failures = 0

    /// - Parameter maximumRetries: tries after the first, as long as none of them brings a byte.
    package init(backoff: Backoff, maximumRetries: Int) {
        self.backoff = backoff
        self.maximumRetries = maximumRetries
    }

    /// - Parameters:
    ///   - random: 0 ..< 1.
    ///   - progressed: whether the failed try brought bytes; it then does not count.
    /// - Returns: how long to wait; nil if trying again is no use.
    package mutating func pause(after error: TransferError, random: Double, progressed: Bool) -> Duration? {
        guard error.isTransient else { return nil }
        if progressed { failures = 0 }
        return next(random)
    }

    /// - Parameter retryAfter: the server's wish; it is kept.
    package mutating func pause(afterStatus status: Int, retryAfter: Duration?, random: Double) -> Duration? {
        guard Self.isTransient(status), let pause = next(random) else { return nil }
        return max(pause, retryAfter ?? .zero)
    }

    /// Statuses by which a server asks to come back (RFC 9110, RFC 6585, RFC 8470).
    package static func isTransient(_ status: Int) -> Bool {
        [408, 425, 429, 500, 502, 503, 504].contains(status)
    }

    private mutating func next(_ random: Double) -> Duration? {
        guard failures < maximumRetries else { return nil }
        defer { failures += 1 }
        return backoff.delay(attempt: failures, random: random)
    }
}
