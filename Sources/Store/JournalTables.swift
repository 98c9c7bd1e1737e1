import Platform

/// The journal's tables and how rows go into them and come out. Belongs to one thread.
struct JournalTables {
    /// Of `PRAGMA user_version`: raised with every change of the tables.
    private static let schemaVersion: Int64 = 1

    /// The log goes into the database when it has so many pages (of 4 KiB).
    static let logPages: Int64 = 128

    private static let rowsQuery = """
        SELECT id, parent, name, is_folder, state, size, modified, permissions, version, key, attempts, lost_answers,
            status, words FROM file ORDER BY id
        """
    private static let receiptsQuery = "SELECT id, folder, name, text, time FROM receipt ORDER BY id"
    private static let removedQuery = "SELECT id FROM removed"

    let database: Database

    /// Opens the journal at `path`, an empty file for a new one.
    /// - Throws: an error whose `isDamage` is true if what is there cannot be used.
    init(path: String) throws(StoreError) {
        database = try Database(path: path)
        // The folder's lock keeps other processes out, so the index of the WAL can stay in memory. A commit is on the disk
        // when it returns (FULL).
        for pragma in [
            "locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL",
            "wal_autocheckpoint = \(Self.logPages)",
        ] {
            try database.run("PRAGMA \(pragma)")
        }
        try database.checkPages()
        guard try database.userVersion() <= Self.schemaVersion else {
            throw StoreError("\(path): written by a newer version of this program", errno: .notSupported)
        }
        try makeTables()
        // A table of the same name may be another one.
        for sql in [Self.rowsQuery, Self.receiptsQuery, Self.removedQuery] { try database.check(sql) }
    }

    private func makeTables() throws(StoreError) {
        try database.transaction { () throws(StoreError) in
            try database.run(
                """
                CREATE TABLE IF NOT EXISTS file (
                    id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name TEXT NOT NULL, is_folder INTEGER NOT NULL,
                    state INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
                    permissions INTEGER NOT NULL, version INTEGER NOT NULL, key TEXT NOT NULL,
                    attempts INTEGER NOT NULL, lost_answers INTEGER NOT NULL, status INTEGER NOT NULL, words TEXT NOT NULL)
                """)
            try database.run(
                """
                CREATE TABLE IF NOT EXISTS receipt (
                    id INTEGER PRIMARY KEY, folder TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
                    time INTEGER NOT NULL)
                """)
            // Files whose row is gone, but whose bytes may still be in the spool folder.
            try database.run("CREATE TABLE IF NOT EXISTS removed (id INTEGER PRIMARY KEY)")
            try database.run("PRAGMA user_version = \(Self.schemaVersion)")
        }
    }

    func rows() throws(StoreError) -> [JournalRow] {
        var rows: [JournalRow] = []
        try database.query(Self.rowsQuery) { row throws(StoreError) in
            rows.append(
                JournalRow(
                    id: row.integer(0), parent: row.integer(1), name: row.text(2), isFolder: row.integer(3) != 0,
                    state: Int(row.integer(4)), size: row.integer(5), modified: row.integer(6),
                    permissions: UInt32(truncatingIfNeeded: row.integer(7)), version: row.integer(8),
                    key: row.text(9), attempts: Int(row.integer(10)), lostAnswers: Int(row.integer(11)),
                    status: Int(row.integer(12)), words: row.text(13)))
        }
        return rows
    }

    func receipts() throws(StoreError) -> [ReceiptRow] {
        var receipts: [ReceiptRow] = []
        try database.query(Self.receiptsQuery) { row throws(StoreError) in
            receipts.append(
                ReceiptRow(
                    id: row.integer(0), folder: row.text(1), name: row.text(2), text: row.text(3),
                    time: row.integer(4)))
        }
        return receipts
    }

    /// The files that a removal has taken out of the journal, but perhaps not out of the spool folder.
    func removedFiles() throws(StoreError) -> [Int64] {
        var numbers: [Int64] = []
        try database.query(Self.removedQuery) { row throws(StoreError) in numbers.append(row.integer(0)) }
        return numbers
    }

    /// All changes, or none.
    func apply(_ changes: [JournalChange]) throws(StoreError) {
        try database.transaction { () throws(StoreError) in
            for change in changes { try apply(change) }
        }
    }

    /// Drops the notes of removed files that are gone from the disk for good.
    func forgetRemoved(_ numbers: [Int64]) throws(StoreError) {
        try database.transaction { () throws(StoreError) in
            for number in numbers { try database.run("DELETE FROM removed WHERE id = ?", [.integer(number)]) }
        }
    }

    private func apply(_ change: JournalChange) throws(StoreError) {
        switch change {
        case .put(let row):
            try database.run(
                "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    .integer(row.id), .integer(row.parent), .text(row.name), .integer(row.isFolder ? 1 : 0),
                    .integer(Int64(row.state)), .integer(row.size), .integer(row.modified),
                    .integer(Int64(row.permissions)), .integer(row.version), .text(row.key),
                    .integer(Int64(row.attempts)), .integer(Int64(row.lostAnswers)), .integer(Int64(row.status)),
                    .text(row.words),
                ])
            // Whoever puts it needs its file.
            try database.run("DELETE FROM removed WHERE id = ?", [.integer(row.id)])
        case .remove(let id):
            try database.run("DELETE FROM file WHERE id = ?", [.integer(id)])
            try database.run("INSERT OR IGNORE INTO removed VALUES (?)", [.integer(id)])
        case .addReceipt(let receipt):
            try database.run(
                "INSERT OR REPLACE INTO receipt VALUES (?, ?, ?, ?, ?)",
                [
                    .integer(receipt.id), .text(receipt.folder), .text(receipt.name), .text(receipt.text),
                    .integer(receipt.time),
                ])
            try database.run(
                """
                DELETE FROM receipt WHERE id <=
                    (SELECT id FROM receipt ORDER BY id DESC LIMIT 1 OFFSET \(UploadJournal.receiptLimit))
                """)
        case .removeReceipt(let id):
            try database.run("DELETE FROM receipt WHERE id = ?", [.integer(id)])
        }
    }
}
