package import Platform

/// Answers of a service that may be asked only so often, kept on disk for all processes of this user.
///
/// Every call may block on the disk, and on another process for some milliseconds: for a thread that may wait.
package final class AnswerCache: Sendable {
    /// How many answers are kept; beyond that the oldest go. A daily budget of some dozens fills it in weeks.
    package static let limit = 1000

    private static let table = """
        CREATE TABLE IF NOT EXISTS answer (
            key TEXT PRIMARY KEY, body BLOB NOT NULL, kind INTEGER NOT NULL, fetched INTEGER NOT NULL) WITHOUT ROWID
        """
    private static let query = "SELECT body, kind, fetched FROM answer WHERE key = ?"

    private let database: Lock<Database>

    /// Opens or makes the cache in `folder`, which must be this user's. A damaged one is begun anew.
    package init(folder: String, log: Log) throws(StoreError) {
        database = Lock(
            try SharedDatabase.open(
                "answers.sqlite", in: folder, tables: [Self.table], queries: [Self.query], log))
    }

    /// The answer that was kept under `key` last, however old.
    package func get(_ key: String) throws(StoreError) -> CachedAnswer? {
        try database.withLock { database throws(StoreError) in
            var answer: CachedAnswer?
            try database.query(Self.query, [.text(key)]) { row throws(StoreError) in
                answer = CachedAnswer(body: row.blob(0), kind: Int(row.integer(1)), fetched: row.integer(2))
            }
            return answer
        }
    }

    /// Keeps the answer under `key`, in place of an earlier one.
    /// - Throws: `.tooBig` for a body of more than 8 MiB.
    package func put(_ key: String, _ answer: CachedAnswer) throws(StoreError) {
        try database.withLock { database throws(StoreError) in
            try database.transaction { () throws(StoreError) in
                try database.run(
                    "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)",
                    [.text(key), .blob(answer.body), .integer(Int64(answer.kind)), .integer(answer.fetched)])
                try database.run(
                    """
                    DELETE FROM answer WHERE key IN
                        (SELECT key FROM answer ORDER BY fetched DESC LIMIT -1 OFFSET \(Self.limit))
                    """)
            }
        }
    }

    /// Forgets what is kept under `key`.
    package func remove(_ key: String) throws(StoreError) {
        try database.withLock { database throws(StoreError) in
            try database.run("DELETE FROM answer WHERE key = ?", [.text(key)])
        }
    }
}
