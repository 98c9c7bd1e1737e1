import Platform

/// Everything that a journal holds, or why it cannot be read.
typealias JournalContents = Result<(rows: [JournalRow], receipts: [ReceiptRow]), StoreError>

/// What the journal's thread does. Belongs to that thread.
struct JournalWriter {
    /// After so many removed files their names are forgotten; that costs an fsync of the folder.
    private static let removedLimit = 256

    /// Room on the disk for the database's log: four times what it grows to before it goes into the database, because
    /// that fails while the disk is full. One removed file takes 3 pages of 4 KiB, or about 12 with its receipt's.
    static let logReserve: Int64 = 4 * JournalTables.logPages * 4096

    let tables: JournalTables
    let wasDamaged: Bool
    private let folder: SpoolFolder
    private let log: Log
    /// Files that are gone from the folder, but still noted as removed.
    private var removed: [Int64]

    /// Opens the journal, or begins a new one, and removes the files whose removal a crash has interrupted.
    init(_ folder: SpoolFolder, _ log: Log) throws(StoreError) {
        let file = DatabaseFile(folder: folder.folder, name: "journal.sqlite")
        (tables, wasDamaged) = try file.open(log) { path throws(StoreError) in try JournalTables(path: path) }
        file.reserveLog(bytes: Self.logReserve)
        self.folder = folder
        self.log = log
        removed = try tables.removedFiles()
        for number in removed { folder.remove(number) }
        forgetRemoved()
    }

    /// Ends what can wait.
    mutating func finish() { forgetRemoved() }

    func load() -> JournalContents {
        do throws(StoreError) {
            return .success((try tables.rows(), try tables.receipts()))
        } catch {
            return .failure(error)
        }
    }

    /// Brings the commits to the disk with one transaction and runs their completions.
    mutating func write(_ commits: [JournalCommit]) {
        guard !commits.isEmpty else { return }
        var errors = commits.map { synchronize($0.files) }
        let ready = commits.indices.filter { errors[$0] == nil }
        do throws(StoreError) {
            try apply(ready.flatMap { commits[$0].changes })
        } catch {
            // One that cannot be written must not take the others with it.
            for index in ready { errors[index] = ready.count == 1 ? error : applyAlone(commits[index]) }
        }
        for (commit, error) in zip(commits, errors) {
            if error == nil { removeFiles(of: commit) }
            commit.completion(error)
        }
        if removed.count >= Self.removedLimit { forgetRemoved() }
    }

    private func apply(_ changes: [JournalChange]) throws(StoreError) {
        if !changes.isEmpty { try tables.apply(changes) }
    }

    private func applyAlone(_ commit: JournalCommit) -> StoreError? {
        do throws(StoreError) {
            try apply(commit.changes)
            return nil
        } catch {
            return error
        }
    }

    private func synchronize(_ files: [SpoolFile]) -> StoreError? {
        do throws(StoreError) {
            for file in files { try file.synchronize() }
            if !files.isEmpty { try folder.synchronizeNames() }
            return nil
        } catch {
            return error
        }
    }

    private mutating func removeFiles(of commit: JournalCommit) {
        for case .remove(let number) in commit.changes {
            folder.remove(number)
            removed.append(number)
        }
    }

    /// Fails without harm: the next start does it.
    private mutating func forgetRemoved() {
        guard !removed.isEmpty else { return }
        do throws(StoreError) {
            try folder.synchronizeRemovals()
            try tables.forgetRemoved(removed)
        } catch {
            log.warning("journal: \(error)")
        }
        removed.removeAll()
    }
}
