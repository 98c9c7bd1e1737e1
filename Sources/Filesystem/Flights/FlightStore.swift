import Flights
import Platform
import Store

/// What flights sources keep on disk for all processes of a user: answers, and the count of requests. Every call may block on
/// the disk.
///
/// Somebody may empty the folder while it is in use, as users do with caches: what fails is tried once more in a new one.
final class FlightStore: Sendable {
    private struct Files: Sendable {
        let answers: AnswerCache
        let budget: RequestBudget

        init(_ folder: String, _ limits: RequestLimits, _ log: Log) throws(StoreError) {
            answers = try AnswerCache(folder: folder, log: log)
            budget = try RequestBudget(
                folder: folder, limit: limits.daily, interval: limits.interval, patience: limits.patience, log: log)
        }
    }

    private let folder: String
    private let limits: RequestLimits
    private let log: Log
    private let files: Lock<Files>

    init(folder: String, limits: RequestLimits, log: Log) throws(StoreError) {
        self.folder = folder
        self.limits = limits
        self.log = log
        files = Lock(try Files(folder, limits, log))
    }

    /// The answer kept under `key`; nil also if it cannot be read.
    func answer(_ key: String) -> CachedAnswer? {
        try? trying { files throws(StoreError) in try files.answers.get(key) }
    }

    /// Keeps an answer. A failure is logged, for the answer itself is good.
    func keep(_ key: String, _ answer: CachedAnswer) {
        do throws(StoreError) {
            try trying { files throws(StoreError) in try files.answers.put(key, answer) }
        } catch {
            log.warning("an answer of the flight service is not kept: \(error)")
        }
    }

    /// Asks for one request; see `RequestBudget`.
    func take(now: Int64, day: Int64) throws(StoreError) -> RequestPermission {
        try trying { files throws(StoreError) in try files.budget.take(now: now, day: day) }
    }

    /// How many requests were granted that day; nil if that cannot be read.
    func count(day: Int64) -> Int? { try? trying { files throws(StoreError) in try files.budget.count(day: day) } }

    private func trying<Result>(_ body: (Files) throws(StoreError) -> Result) throws(StoreError) -> Result {
        let used = files.withLock { $0 }
        do throws(StoreError) { return try body(used) } catch {
            guard let new = try? Files(folder, limits, log) else { throw error }
            files.withLock { $0 = new }
            return try body(new)
        }
    }
}
