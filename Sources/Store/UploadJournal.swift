import Glibc
package import Platform

/// What is known about every file of one upload target, kept so that nothing is lost by a crash or a power failure.
///
/// All of its work on the disk happens on its own thread "journal". Close it at the end.
package final class UploadJournal: Sendable {
    /// How many receipts are kept.
    package static let receiptLimit = 1000
    /// The names of removed files are forgotten in bunches: each costs an fsync of the folder.
    private static let removedLimit = 256

    /// Whether an earlier journal was there but could not be read: what lies in the spool folder without a row may then
    /// be complete, and may have been sent.
    package let wasDamaged: Bool

    private let queue: Condition<Queue>
    private let thread: Thread

    /// A commit as it waits for the thread.
    private struct Batch: Sendable {
        let changes: [JournalChange]
        let files: [SpoolFile]
        let completion: @Sendable (StoreError?) -> Void
    }

    private struct Queue {
        var batches: [Batch] = []
        var loads: [@Sendable (JournalTables) -> Void] = []
        var isClosed = false
        /// Set once by the thread: whether the journal could be opened, and whether an earlier one was damaged.
        var opened: Result<Bool, StoreError>?
    }

    /// Opens or makes the journal in the folder. Blocks on the disk.
    /// - Throws: if it cannot be opened. A damaged one is no error: it is renamed, and a new one begun.
    package init(in folder: SpoolFolder, log: Log) throws(StoreError) {
        let queue = Condition(Queue())
        self.queue = queue
        do {
            thread = try Thread.start(name: "journal") { Self.run(queue, folder, log) }
        } catch {
            throw StoreError(error, on: "the journal's thread")
        }
        let opened = queue.wait(until: { $0.opened != nil }) { $0.opened }
        switch opened {
        case .success(let wasDamaged): self.wasDamaged = wasDamaged
        case .failure(let error):
            thread.join()
            throw error
        case nil: throw StoreError(.io, on: "the journal's thread")
        }
    }

    /// All rows and receipts, ascending by id, after everything that was committed before. Blocks on the disk; not from
    /// a completion, not after `close`.
    package func load() throws(StoreError) -> (rows: [JournalRow], receipts: [ReceiptRow]) {
        let answer = Condition<Result<([JournalRow], [ReceiptRow]), StoreError>?>(nil)
        queue.update {
            $0.loads.append { tables in
                let result: Result<([JournalRow], [ReceiptRow]), StoreError>
                do throws(StoreError) {
                    result = .success((try tables.rows(), try tables.receipts()))
                } catch {
                    result = .failure(error)
                }
                answer.update { $0 = result }
            }
        }
        guard let result = answer.wait(until: { $0 != nil }, { $0 }) else { return ([], []) }
        let (rows, receipts) = try result.get()
        return (rows, receipts)
    }

    /// Brings the files' bytes and then the changes to the disk. Any thread, never blocks.
    ///
    /// Whatever waits goes into one transaction. `completion` runs on the journal's thread (after `close`: on the
    /// caller's), in the order of the calls; with nil when all is safe, with an error when none of the changes counts.
    package func commit(
        _ changes: [JournalChange], syncing files: [SpoolFile] = [],
        completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        let batch = Batch(changes: changes, files: files, completion: completion)
        let isAccepted = queue.update { queue in
            if !queue.isClosed { queue.batches.append(batch) }
            return !queue.isClosed
        }
        if !isAccepted { completion(StoreError(.badFileDescriptor, on: "the journal is closed")) }
    }

    /// Runs what is queued, then ends the thread. Call it once, not from a completion.
    package func close() {
        queue.update { $0.isClosed = true }
        thread.join()
    }

    // MARK: The thread

    private static func run(_ queue: Condition<Queue>, _ folder: SpoolFolder, _ log: Log) {
        let tables: JournalTables
        do throws(StoreError) {
            let opened = try open(in: folder, log)
            tables = opened.tables
            queue.update { $0.opened = .success(opened.wasDamaged) }
        } catch {
            queue.update { $0.opened = .failure(error) }
            return
        }
        var removed: [Int64] = []
        while true {
            let (batches, loads, isClosed) = queue.wait(
                until: { !$0.batches.isEmpty || !$0.loads.isEmpty || $0.isClosed }
            ) { queue in
                defer {
                    queue.batches.removeAll()
                    queue.loads.removeAll()
                }
                return (queue.batches, queue.loads, queue.isClosed)
            }
            if !batches.isEmpty { commit(batches, tables, folder, &removed) }
            for load in loads { load(tables) }
            if isClosed && batches.isEmpty && loads.isEmpty { return }
        }
    }

    private static func commit(
        _ batches: [Batch], _ tables: JournalTables, _ folder: SpoolFolder, _ removed: inout [Int64]
    ) {
        var results = batches.map { synchronize($0.files, folder) }
        let ready = batches.indices.filter { results[$0] == nil }
        do throws(StoreError) {
            try tables.apply(ready.flatMap { batches[$0].changes }, forgetting: [])
        } catch {
            for index in ready { results[index] = error }
        }
        for (batch, result) in zip(batches, results) {
            if result == nil {
                for case .remove(let number) in batch.changes { folder.remove(number) }
            }
            batch.completion(result)
        }
    }

    private static func synchronize(_ files: [SpoolFile], _ folder: SpoolFolder) -> StoreError? {
        do throws(StoreError) {
            for file in files { try file.synchronize() }
            if !files.isEmpty { try folder.synchronizeNames() }
            return nil
        } catch {
            return error
        }
    }

    private static func open(
        in folder: SpoolFolder, _ log: Log
    ) throws(StoreError) -> (tables: JournalTables, wasDamaged: Bool) {
        let file = try folder.prepareJournal()
        let tables = try JournalTables(path: file)
        return (tables, false)
    }
}
