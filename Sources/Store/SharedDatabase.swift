import Platform

/// Opens a database that all processes of this user use at the same time.
enum SharedDatabase {
    /// How long one process waits for another one's transaction, which takes milliseconds.
    private static let busyTimeout: Duration = .seconds(5)
    /// Of `PRAGMA user_version`; a file of any other version is begun anew.
    private static let schemaVersion: Int64 = 1

    /// Opens the database `name` in `folder`; makes both, and the tables, where they are missing. What it holds must be
    /// dispensable: a damaged one is begun anew.
    /// - Parameters:
    ///   - tables: statements that make the missing tables.
    ///   - queries: what the tables will be asked, to find out whether they are ours.
    static func open(
        _ name: String, in folder: String, tables: [String], queries: [String], _ log: Log
    ) throws(StoreError) -> Database {
        let folder = try PrivateFolder(path: folder)
        // While one process renames a damaged file, no other may open it or find it damaged as well.
        let lock = try FolderLock(in: folder, waiting: busyTimeout)
        defer { withExtendedLifetime(lock) {} }
        let file = DatabaseFile(folder: folder, name: name)
        return try file.open(log) { path throws(StoreError) in
            // The rollback journal, not a WAL: that would need memory shared between the processes, which a home folder
            // on a network does not have.
            let database = try Database(path: path, busyTimeout: busyTimeout)
            try database.checkPages()
            guard try [0, schemaVersion].contains(database.userVersion()) else {
                throw StoreError("\(path): of another version", errno: .notSupported, isDamage: true)
            }
            try database.transaction { () throws(StoreError) in
                for sql in tables { try database.run(sql) }
                try database.run("PRAGMA user_version = \(schemaVersion)")
            }
            for sql in queries { try database.check(sql) }
            return database
        }.tables
    }
}
