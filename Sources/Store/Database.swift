import CSQLite
import Glibc
import Platform

/// One connection to one SQLite file. Belongs to one thread.
///
/// The only place that speaks to SQLite's C interface.
// SAFETY: `connection` is open from `init` to `deinit`, and every statement is finalised before it is closed. Bytes that
// are bound are copied by SQLite at once, columns are copied before the next step.
final class Database {
    /// Values longer than this are refused, so that neither a damaged file nor a caller's mistake fills the memory.
    static let maximumValueSize: Int32 = 8 << 20
    private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private let connection: OpaquePointer
    private let name: String
    private var statements: [String: OpaquePointer] = [:]

    /// Opens the file at `path`, which has to exist (an empty file is a new database) and to have no symbolic link in it.
    /// - Parameter busyTimeout: how long a statement waits for another process that holds the database.
    init(path: String, busyTimeout: Duration = .zero) throws(StoreError) {
        name = path
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = sqlite3_open_v2(path, &connection, flags, nil)
        guard result == SQLITE_OK, let connection else {
            sqlite3_close_v2(connection)
            throw Self.error(result, String(cString: sqlite3_errstr(result)), systemError: 0, path)
        }
        self.connection = connection
        sqlite3_busy_timeout(connection, Int32(clamping: busyTimeout.wholeNanoseconds / 1_000_000))
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Self.maximumValueSize)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(connection)
    }

    /// Runs one statement for every row of its result; `row` is given to read columns from.
    /// - Parameter sql: one statement. It is prepared once and kept, so it must come from a small fixed set.
    func query(
        _ sql: String, _ values: [SQLValue] = [], _ body: (borrowing Row) throws(StoreError) -> Void
    ) throws(StoreError) {
        let statement = try prepare(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1), of: statement) }
        while true {
            let result = sqlite3_step(statement)
            switch result {
            case SQLITE_DONE: return
            case SQLITE_ROW: try body(Row(statement: statement))
            default: throw error(result)
            }
        }
    }

    /// Runs one statement and ignores the rows it gives.
    func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) {
        try query(sql, values) { _ throws(StoreError) in }
    }

    /// Finds out whether the tables have what the statement names, without running it.
    func check(_ sql: String) throws(StoreError) { _ = try prepare(sql) }

    /// All of `body`, or nothing of it. The write lock is taken at the start, so that it never fails half-way for another
    /// process's sake.
    func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // SQLite has rolled back by itself after some errors, a full disk among them.
            if sqlite3_get_autocommit(connection) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Reads the whole file and finds out whether its pages fit together.
    func checkPages() throws(StoreError) {
        try query("PRAGMA quick_check(1)") { [name] row throws(StoreError) in
            let answer = row.text(0)
            if answer != "ok" { throw StoreError("\(name): \(answer)", errno: .io, isDamage: true) }
        }
    }

    /// `PRAGMA user_version`; 0 in a new database.
    func userVersion() throws(StoreError) -> Int64 {
        var version: Int64 = 0
        try query("PRAGMA user_version") { row throws(StoreError) in version = row.integer(0) }
        return version
    }

    private func prepare(_ sql: String) throws(StoreError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK, let statement else { throw error(result) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: SQLValue, at index: Int32, of statement: OpaquePointer) throws(StoreError) {
        let result =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let number): sqlite3_bind_int64(statement, index, number)
            case .text(let text):
                // With its length: a text may hold a NUL.
                text.utf8.count > Int(Int32.max)
                    ? SQLITE_TOOBIG
                    : sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), Self.copies)
            case .blob(let bytes):
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : bytes.withUnsafeBytes {
                        sqlite3_bind_blob64(statement, index, $0.baseAddress, sqlite3_uint64($0.count), Self.copies)
                    }
            }
        guard result == SQLITE_OK else { throw error(result) }
    }

    private func error(_ result: Int32) -> StoreError {
        Self.error(
            result, String(cString: sqlite3_errmsg(connection)), systemError: sqlite3_system_errno(connection), name)
    }

    private static func error(_ result: Int32, _ words: String, systemError: Int32, _ name: String) -> StoreError {
        let text = "\(name): \(words)"
        // Without a more exact reason it means a header that asks for a newer SQLite: the file itself can be written.
        if result == SQLITE_READONLY { return StoreError(text, errno: .io, isDamage: true) }
        switch result & 0xff {
        case SQLITE_FULL: return StoreError(text, errno: .noSpace)
        case SQLITE_NOMEM: return StoreError(text, errno: .noMemory)
        case SQLITE_BUSY, SQLITE_LOCKED: return StoreError(text, errno: .busy)
        case SQLITE_READONLY: return StoreError(text, errno: .readOnly)
        case SQLITE_TOOBIG: return StoreError(text, errno: .tooBig)
        // SQLITE_ERROR: the file lacks a table or column of ours.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: return StoreError(text, errno: .io, isDamage: true)
        default:
            let errno = systemError == 0 ? Errno.io : Errno(rawValue: systemError)
            return StoreError("\(text) (\(errno))", errno: errno)
        }
    }

    /// The row a query has just reached; valid only inside the call it is given to.
    struct Row: ~Copyable {
        fileprivate let statement: OpaquePointer

        /// 0 where it is no number.
        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        /// Empty where it is NULL; bytes that are not UTF-8 are replaced.
        func text(_ column: Int32) -> String {
            guard let bytes = sqlite3_column_text(statement, column) else { return "" }
            let count = Int(sqlite3_column_bytes(statement, column))
            return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }

        /// Empty where it is NULL.
        func blob(_ column: Int32) -> [UInt8] {
            guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
            return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
        }
    }
}
