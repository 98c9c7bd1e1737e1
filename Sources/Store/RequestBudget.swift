package import Platform

/// How often a service may still be asked: requests are kept apart and counted by day, for all processes of this user
/// together.
///
/// Every call may block on the disk, and on another process for some milliseconds: for a thread that may wait.
package final class RequestBudget: Sendable {
    /// How many days are remembered. More than one, because the clock may be set back.
    private static let days: Int64 = 30

    private static let tables = [
        "CREATE TABLE IF NOT EXISTS slot (id INTEGER PRIMARY KEY, next_free INTEGER NOT NULL)",
        "CREATE TABLE IF NOT EXISTS day (day INTEGER PRIMARY KEY, count INTEGER NOT NULL)",
    ]
    private static let slotQuery = "SELECT next_free FROM slot WHERE id = 0"
    private static let dayQuery = "SELECT count FROM day WHERE day = ?"

    private let database: Lock<Database>
    private let limit: Int
    private let interval: Duration
    private let patience: Duration

    /// Opens or makes the count in `folder`, which must be this user's. A damaged one is begun anew.
    /// - Parameters:
    ///   - limit: requests a day.
    ///   - interval: between two requests.
    ///   - patience: the longest a request may have to wait for its turn.
    package init(
        folder: String, limit: Int, interval: Duration, patience: Duration, log: Log
    ) throws(StoreError) {
        database = Lock(
            try SharedDatabase.open(
                "requests.sqlite", in: folder, tables: Self.tables, queries: [Self.slotQuery, Self.dayQuery], log))
        self.limit = limit
        self.interval = interval
        self.patience = patience
    }

    /// Asks for one request, and counts it if it is granted.
    /// - Parameters:
    ///   - now: in milliseconds since 1970, by the clock that all processes share.
    ///   - day: the number of the day that the service counts this moment to.
    package func take(now: Int64, day: Int64) throws(StoreError) -> RequestPermission {
        try database.withLock { database throws(StoreError) in
            // From BEGIN IMMEDIATE on no other process can take the same time or the last request.
            try database.transaction { () throws(StoreError) in
                guard try Self.count(day, database) < limit else { return .exhausted }
                var slots = RequestSlots(nextFree: try Self.number(Self.slotQuery, [], database) ?? 0)
                guard let pause = slots.take(now: now, interval: interval, patience: patience) else {
                    return .crowded
                }
                try database.run("INSERT OR REPLACE INTO slot VALUES (0, ?)", [.integer(slots.nextFree)])
                try database.run(
                    "INSERT INTO day VALUES (?, 1) ON CONFLICT (day) DO UPDATE SET count = count + 1",
                    [.integer(day)])
                try database.run(
                    "DELETE FROM day WHERE day NOT IN (SELECT day FROM day ORDER BY day DESC LIMIT \(Self.days))")
                return .granted(after: pause)
            }
        }
    }

    /// How many requests were granted that day.
    package func count(day: Int64) throws(StoreError) -> Int {
        try database.withLock { database throws(StoreError) in try Self.count(day, database) }
    }

    private static func count(_ day: Int64, _ database: Database) throws(StoreError) -> Int {
        Int(try number(dayQuery, [.integer(day)], database) ?? 0)
    }

    private static func number(
        _ sql: String, _ values: [SQLValue], _ database: Database
    ) throws(StoreError) -> Int64? {
        var number: Int64?
        try database.query(sql, values) { row throws(StoreError) in number = row.integer(0) }
        return number
    }
}
