/// Changes that count together, as they wait for the journal's thread.
struct JournalCommit: Sendable {
    let changes: [JournalChange]
    /// Whose bytes have to be on the disk before.
    let files: [SpoolFile]
    let completion: @Sendable (StoreError?) -> Void
}
