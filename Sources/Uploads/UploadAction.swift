/// What the owner of an `UploadQueue` does, in the order of the array.
package enum UploadAction: Hashable, Sendable {
    /// Commit a row with the present `record(of:)`, then call `journalled` with that record. Read the record and hand
    /// it to the journal inside one critical section, so that rows are committed in the order of the records.
    case journal(UploadID)
    /// Begin this transfer. Exactly one `sendEnded` must follow, whatever happens.
    case start(UploadSend)
    /// Stop this transfer; its `sendEnded` is still expected (`cancelled`, or what it came to in between).
    case cancel(UploadSend)
    /// The server has this file: it leaves the folder, its row is removed and a receipt written in one commit. The
    /// queue has forgotten it.
    case succeeded(UploadSend, status: Int, words: String)
    /// Move it to `failed/`: its row (with the present `record(of:)`) and the error text go in one commit.
    case setAside(UploadID, FailureReason)
    /// Answers `awaitVerdict`, once for each version asked for.
    case verdict(UploadID, version: Int64, UploadVerdict)
}
