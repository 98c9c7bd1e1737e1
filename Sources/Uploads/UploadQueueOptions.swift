import Platform

/// The figures of an `UploadQueue`.
package struct UploadQueueOptions: Sendable {
    /// How long a closed file must stay as it is before it is sent.
    package var settle: Duration = .seconds(1)
    /// Pause after the first failed try; doubles up to `maximumPause`.
    package var firstPause: Duration = .seconds(2)
    package var maximumPause: Duration = .seconds(60)
    /// Uploads at a time.
    package var parallel = 3
    /// How often a file whose answer was lost is sent again before it is set aside.
    package var unknownTries = 3

    package init() {}

    var backoff: Backoff { Backoff(first: firstPause, limit: maximumPause) }
}
