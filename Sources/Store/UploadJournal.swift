package import Platform

/// What is known about every file of one upload target, kept so that nothing is lost by a crash or a power failure.
///
/// All of its work on the disk happens on its own thread "journal". Close it at the end.
package final class UploadJournal: Sendable {
    /// How many receipts are kept.
    package static let receiptLimit = 1000

    /// Whether an earlier journal was there but could not be read: what lies in the spool folder without a row may then
    /// be complete, and may have been sent.
    package let wasDamaged: Bool

    private let queue: Condition<Queue>
    private let thread: Thread

    private enum Job {
        case commit(JournalCommit)
        case load(@Sendable (JournalContents) -> Void)
    }

    private struct Queue {
        var jobs: [Job] = []
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
        let answer = Condition<JournalContents?>(nil)
        let isAccepted = add(.load { contents in answer.update { $0 = contents } })
        guard isAccepted, let contents = answer.wait(until: { $0 != nil }, { $0 }) else { throw Self.closed }
        return try contents.get()
    }

    /// Brings the files' bytes and then the changes to the disk. Any thread, never blocks.
    ///
    /// Whatever waits goes into one transaction. `completion` runs on the journal's thread (after `close`: on the
    /// caller's), in the order of the calls: with nil when all of it is safe, with an error when none of the changes
    /// can be relied on. It must not block.
    package func commit(
        _ changes: [JournalChange], syncing files: [SpoolFile] = [],
        completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        let isAccepted = add(.commit(JournalCommit(changes: changes, files: files, completion: completion)))
        if !isAccepted { completion(Self.closed) }
    }

    /// Runs what is queued, then ends the thread. Call it once, not from a completion.
    package func close() {
        queue.update { $0.isClosed = true }
        thread.join()
    }

    private static var closed: StoreError { StoreError("the journal is closed", errno: .badFileDescriptor) }

    private func add(_ job: Job) -> Bool {
        queue.update { queue in
            if !queue.isClosed { queue.jobs.append(job) }
            return !queue.isClosed
        }
    }

    private static func run(_ queue: Condition<Queue>, _ folder: SpoolFolder, _ log: Log) {
        var writer: JournalWriter
        do throws(StoreError) {
            writer = try JournalWriter(folder, log)
        } catch {
            queue.update { $0.opened = .failure(error) }
            return
        }
        queue.update { [wasDamaged = writer.wasDamaged] in $0.opened = .success(wasDamaged) }
        while true {
            let (jobs, isClosed) = queue.wait(until: { !$0.jobs.isEmpty || $0.isClosed }) { queue in
                defer { queue.jobs.removeAll() }
                return (queue.jobs, queue.isClosed)
            }
            var commits: [JournalCommit] = []
            for job in jobs {
                switch job {
                case .commit(let commit): commits.append(commit)
                case .load(let completion):
                    writer.write(commits)
                    commits.removeAll()
                    completion(writer.load())
                }
            }
            writer.write(commits)
            if isClosed && jobs.isEmpty { break }
        }
        writer.finish()
    }
}
