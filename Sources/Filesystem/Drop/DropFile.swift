import Store

/// What is known of one file of a drop folder.
///
/// Its content has versions. A version's number names its file in the spool and its row in the journal: whatever is
/// written after a completed FLUSH is another version, so that a crash never takes new bytes for flushed ones.
struct DropFile: Sendable {
    /// The version that is read and written now.
    var version: Int64
    /// Where its bytes are; nil after a restart until somebody needs them.
    var spool: SpoolFile?
    /// Bytes.
    var size: Int64 = 0
    /// The newest version that a completed FLUSH put into the journal, if its bytes are still in the spool.
    var complete: Int64?
    /// Its bytes and size.
    var completeSize: Int64 = 0
    /// Whether anything (its creation too) happened since the last FLUSH began.
    var isDirty = true
    /// Descriptors that may write.
    var writers = 0
    /// Idempotency-Key of `complete`.
    var key = ""
    /// Tries so far.
    var attempts = 0
    /// Why it lies in `failed/`; nil elsewhere.
    var failure: DropFailure?
    /// Versions that may have a row in the journal.
    var rows: [Int64] = []
    /// The node of `failed/NAME.error.txt`.
    var explanation: Int64?

    init(version: Int64, spool: SpoolFile?) {
        self.version = version
        self.spool = spool
        rows = [version]
    }
}

/// Why a file was set aside.
struct DropFailure: Sendable {
    /// HTTP status; 0 if there was no answer.
    var status = 0
    /// What went wrong, from the server or from here.
    var words: String
    /// Only a part of the file was written: trying again would send half a file.
    var isIncomplete = false
    /// Seconds since 1970.
    var time: Int64 = 0
}
