import Store
import Uploads

/// What is known of one file of a drop folder.
///
/// Its content has versions, each with a file of its own number in the spool and a row of that number in the journal:
/// what is written after a completed FLUSH goes into a file of another number, so that a crash never takes new bytes for
/// flushed ones.
struct DropFile: Sendable {
    /// A version that a FLUSH made safe and that is only given up once a later one is safe, too.
    struct Kept: Sendable {
        let number: Int64
        let size: Int64
        var record: UploadRecord
        /// The commit that makes the later one safe is on its way, and removes this one.
        var isSuperseded = false
    }

    /// Of the version that is read and written now.
    var number: Int64
    /// Where its bytes are; nil after a restart until somebody needs them.
    var spool: SpoolFile?
    /// Bytes.
    var size: Int64 = 0
    /// Changes of the bytes that are being made right now, each without the lock.
    var changes = 0
    /// What waits until there is none: a FLUSH that came between would call bytes whole that are not.
    var waiting: [@Sendable () -> Void] = []
    /// Whether the journal has, or may soon have, a row that calls the present version whole.
    var isSafe = false
    /// The safe version before the present one, if its bytes are still there.
    var kept: Kept?
    /// Older versions whose rows are still in the journal.
    var staleRows: [Int64] = []
    /// What was flushed last; nil if nothing was.
    var flushed: UploadRecord?
    /// The server has it; see `DropDelivery`.
    var isDelivered = false
    /// The node of `failed/NAME.error.txt`.
    var explanation: Int64?

    init(number: Int64, spool: SpoolFile?) {
        self.number = number
        self.spool = spool
    }

    /// All its rows in the journal.
    var rows: [Int64] { staleRows + (kept.map { [$0.number] } ?? []) + [number] }
}
