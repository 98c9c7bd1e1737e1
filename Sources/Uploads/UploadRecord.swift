/// What a journal row keeps of a file's way to the server, beside its name and attributes.
package struct UploadRecord: Hashable, Sendable {
    /// The raw values are those of the journal: never renumber.
    package enum Stage: Int, Sendable {
        /// Being written, or its writer died: never sent as it is.
        case incomplete = 0
        /// Its bytes are whole and wait to be sent.
        case complete = 1
        /// Set aside, lies in `failed/`.
        case failed = 2
    }

    package let id: UploadID
    package var stage: Stage
    /// Counts the contents and names that could have been sent: goes up with the first change after a flush and with
    /// each rename. A version whose row is not in the journal is never sent.
    package var version: Int64
    /// Random text drawn once when the file was created; with the version it makes the `Idempotency-Key`.
    package var keyBase: String
    /// Tries of this version so far.
    package var attempts: Int
    /// Those of them that went out whole and brought no answer.
    package var lostAnswers: Int
    /// Status of the last answer; 0 if there was none.
    package var status: Int
    /// Why it was not sent yet, for people; empty if nothing happened yet.
    package var words: String
    /// Whether the spool file must be synchronised before the row is committed.
    package var needsSync: Bool

    /// For a row read from the journal (`needsSync` is false: what was committed is on disk).
    package init(
        id: UploadID, stage: Stage, version: Int64, keyBase: String, attempts: Int, lostAnswers: Int, status: Int,
        words: String
    ) {
        self.id = id
        self.stage = stage
        self.version = version
        self.keyBase = keyBase
        self.attempts = attempts
        self.lostAnswers = lostAnswers
        self.status = status
        self.words = words
        needsSync = false
    }
}
