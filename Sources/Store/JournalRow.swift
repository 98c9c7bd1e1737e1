/// What the journal keeps of one file or folder of an upload target.
package struct JournalRow: Hashable, Sendable {
    /// Also the number of the file in the spool folder. Never used again.
    package var id: Int64
    /// The id of the folder it lies in; the caller says which number is the top.
    package var parent: Int64
    package var name: String
    package var isFolder: Bool
    /// Its meaning is the caller's.
    package var state: Int
    /// Bytes that are safe on disk.
    package var size: Int64
    /// Nanoseconds since 1970.
    package var modified: Int64
    package var permissions: UInt32
    /// Counts the changes of the content.
    package var version: Int64
    /// The idempotency key of this version; empty before one was drawn.
    package var key: String
    package var attempts: Int
    /// Tries that went out whole and brought no answer.
    package var lostAnswers: Int
    /// The last HTTP status; 0: none yet.
    package var status: Int
    /// What was last said about it, for people.
    package var words: String

    package init(
        id: Int64, parent: Int64, name: String, isFolder: Bool = false, state: Int, size: Int64 = 0,
        modified: Int64 = 0, permissions: UInt32 = 0o600, version: Int64 = 0, key: String = "", attempts: Int = 0,
        lostAnswers: Int = 0, status: Int = 0, words: String = ""
    ) {
        self.id = id
        self.parent = parent
        self.name = name
        self.isFolder = isFolder
        self.state = state
        self.size = size
        self.modified = modified
        self.permissions = permissions
        self.version = version
        self.key = key
        self.attempts = attempts
        self.lostAnswers = lostAnswers
        self.status = status
        self.words = words
    }
}
