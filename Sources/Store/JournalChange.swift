/// One change of the upload journal.
package enum JournalChange: Hashable, Sendable {
    /// Adds the row, or replaces the one with the same id.
    case put(JournalRow)
    /// Forgets the row; once that is safe, the spooled file of the same number is removed as well.
    case remove(Int64)
    /// Keeps a receipt; beyond `UploadJournal.receiptLimit` those with the lowest ids go.
    case addReceipt(ReceiptRow)
    case removeReceipt(Int64)
}
