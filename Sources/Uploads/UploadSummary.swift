package import Platform

/// The whole queue of a target in figures.
package struct UploadSummary: Sendable {
    /// How many files stand where; a state without files is missing.
    package var counts: [UploadState: Int] = [:]
    /// Files sent since this queue began.
    package var sent = 0
    /// Why and until when the target is left alone; nil if it is not. A time in the past: one file is on its way to see
    /// whether it goes on.
    package var pause: (words: String, until: Instant)?

    /// Files that still have to go up or are being written; parked and failed ones are not waited for.
    package var pending: Int {
        [UploadState.writing, .settling, .queued, .sending, .waiting, .unknown].reduce(0) { $0 + (counts[$1] ?? 0) }
    }
}
