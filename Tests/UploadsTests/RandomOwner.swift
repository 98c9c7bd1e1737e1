import Platform
import SeededRandom
import Testing
import Uploads

/// A drop folder, its journal and its server in a model that knows what is in every byte: plays random events on a
/// queue and checks each of its actions against what the model knows to be right.
final class RandomOwner {
    struct File {
        /// Names the bytes in the spool; another number for each write that landed.
        var content: Int
        /// Names the file's name; another number for each rename.
        var name: Int
        var isCandidate = true
        var isBlocked = false
        var isFailed = false
        var writers = 0
        /// When it was last closed, renamed or unblocked.
        var quietSince: Instant
        /// Changes that wait for the journal; whether each empties the file.
        var parkedWrites: [Bool] = []
        /// The version whose row they wait for.
        var parkedVersion: Int64 = 0
        /// A flush or the last close ended the content.
        var isWhole = false
    }

    /// A row on its way to the journal, or in it.
    struct Row {
        var record: UploadRecord
        var content: Int
        var name: Int
        var isCandidate: Bool
    }

    enum Commit {
        case row(Row, isFlush: Bool)
        case removal(UploadID)
    }

    struct Sent: Hashable {
        var id: UploadID
        var content: Int
        var name: Int
    }

    let options: UploadQueueOptions
    var queue: UploadQueue
    var random: SplitMix
    var now = Instant(nanoseconds: 5_000_000_000)
    var files: [UploadID: File] = [:]
    /// The bytes in the spool; they outlive the tree of names at a crash.
    var spool: [UploadID: Int] = [:]
    var journal: [UploadID: Row] = [:]
    var commits: [Commit] = []
    var running: [UploadSend: Sent] = [:]
    var cancelled: Set<UploadSend> = []
    /// Every send of this life of the queue.
    var begun: Set<UploadSend> = []
    /// What each key stood for, through all lives.
    var keys: [String: Sent] = [:]
    /// Contents that must never be sent: half written ones.
    var halves: Set<Int> = []
    /// Contents whose writer was told that they are not safe.
    var doubtful: Set<Int> = []
    /// Contents that were committed as complete once.
    var synced: Set<Int> = []
    /// What the server has and the queue must say so, unless the file changes before it is closed.
    var owedSuccesses: [UploadID: UploadSend] = [:]
    var waiters: [UploadID: Int64] = [:]
    var lastNumber = 0
    var succeeded = 0
    var failed = 0

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        var options = UploadQueueOptions()
        options.parallel = 1 + Int(seed % 4)
        self.options = options
        queue = UploadQueue(options)
    }

    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func anyID(where isFit: (File) -> Bool = { _ in true }) -> UploadID? {
        files.filter { isFit($0.value) }.keys.sorted().randomElement(using: &random)
    }

    // MARK: Actions

    func run(_ actions: [UploadAction]) {
        for action in actions {
            switch action {
            case .journal(let id): enqueueRow(id)
            case .start(let send): checkStart(send)
            case .cancel(let send):
                #expect(running[send] != nil, "cancels what does not run")
                #expect(cancelled.insert(send).inserted, "cancels twice")
            case .succeeded(let send, _, _): checkSuccess(send)
            case .setAside(let id, let reason): checkFailure(id, reason)
            case .verdict(let id, let version, let verdict):
                #expect(waiters.removeValue(forKey: id) == version, "a verdict nobody waits for")
                if verdict == .accepted { #expect(owedSuccesses[id] != nil) }
            }
        }
    }

    func enqueueRow(_ id: UploadID, isFlush: Bool = false) {
        guard let record = queue.record(of: id), let file = files[id] else { return }
        commits.append(
            .row(
                Row(record: record, content: file.content, name: file.name, isCandidate: file.isCandidate),
                isFlush: isFlush))
    }

    private func checkStart(_ send: UploadSend) {
        guard let file = files[send.id] else {
            Issue.record("sends a file that is gone")
            return
        }
        #expect(running.count < options.parallel)
        #expect(!running.keys.contains { $0.id == send.id }, "two transfers of one file")
        #expect(begun.insert(send).inserted, "the same try twice")
        #expect(file.isCandidate && !file.isFailed && !file.isBlocked)
        #expect(owedSuccesses[send.id] == nil, "sends again what was taken")
        let row = journal[send.id]
        #expect(row?.record.stage == .complete && row?.record.version == send.version, "not journalled")
        #expect(row?.content == file.content && row?.name == file.name, "the journal knows another file")
        #expect(!halves.contains(file.content), "half a file")
        let isAwaited = waiters[send.id] == send.version
        #expect(isAwaited || file.writers == 0 && now >= file.quietSince + options.settle, "too early")
        let sent = Sent(id: send.id, content: file.content, name: file.name)
        #expect(keys[send.key] == nil || keys[send.key] == sent, "one key for two contents or names")
        keys[send.key] = sent
        running[send] = sent
    }

    private func checkSuccess(_ send: UploadSend) {
        #expect(owedSuccesses.removeValue(forKey: send.id) == send, "a success that was none")
        #expect(files[send.id]?.writers == 0)
        #expect(keys[send.key].map { $0.content == files[send.id]?.content && $0.name == files[send.id]?.name } == true)
        #expect(waiters[send.id] == nil)
        succeeded += 1
        files[send.id] = nil
        commits.append(.removal(send.id))
    }

    private func checkFailure(_ id: UploadID, _ reason: FailureReason) {
        guard let file = files[id] else {
            Issue.record("sets a file aside that is gone")
            return
        }
        #expect(!file.isFailed && file.isCandidate && file.writers == 0)
        if case .incomplete = reason {
            #expect(halves.contains(file.content) || doubtful.contains(file.content), "this content is whole")
        }
        #expect(waiters[id] == nil)
        failed += 1
        files[id]?.isFailed = true
        enqueueRow(id)
    }

    // MARK: Writers

    func create() {
        let id = UploadID(rawValue: Int64(nextNumber()))
        files[id] = File(
            content: nextNumber(), name: nextNumber(), isCandidate: below(4) > 0, writers: 1, quietSince: now)
        spool[id] = files[id]?.content
        queue.add(id, keyBase: "k\(id.rawValue)", isCandidate: files[id]?.isCandidate == true, now: now)
        queue.writerOpened(id)
        enqueueRow(id)
    }

    func open(_ id: UploadID) {
        files[id]?.writers += 1
        queue.writerOpened(id)
    }

    func write(_ id: UploadID, isEmptied: Bool) {
        owedSuccesses[id] = nil
        files[id]?.isWhole = false
        if !isEmptied { files[id]?.isBlocked = false }
        run(queue.contentChanged(id, isEmptied: isEmptied))
        guard queue.mayWrite(id), let old = files[id] else {
            files[id]?.parkedWrites.append(isEmptied)
            files[id]?.parkedVersion = queue.record(of: id)?.version ?? 0
            return
        }
        #expect(!running.contains { $0.key.id == id && !cancelled.contains($0.key) }, "changes what is being sent")
        if let row = journal[id], row.record.stage == .complete {
            Issue.record("changes what the journal says is whole")
        }
        let new = nextNumber()
        if !isEmptied, halves.contains(old.content) { halves.insert(new) }
        if !isEmptied, doubtful.contains(old.content) { doubtful.insert(new) }
        files[id]?.content = new
        spool[id] = new
    }

    func flush(_ id: UploadID) {
        guard let record = queue.flushBegan(id) else { return }
        #expect(files[id].map { !halves.contains($0.content) } == true, "takes half a file for whole")
        files[id]?.isWhole = true
        enqueueRow(id, isFlush: true)
        if waiters[id] == nil, below(4) == 0 {
            waiters[id] = record.version
            run(queue.awaitVerdict(id, version: record.version, now: now))
        }
    }

    func kill(_ id: UploadID) {
        if let file = files[id], !file.isWhole { halves.insert(file.content) }
        queue.writerFailed(id)
        close(id)
    }

    func close(_ id: UploadID) {
        guard var file = files[id] else { return }
        file.writers -= 1
        file.quietSince = now
        if file.writers == 0, !halves.contains(file.content) { file.isWhole = true }
        files[id] = file
        let owed = file.writers == 0 ? owedSuccesses[id] : nil
        run(queue.writerClosed(id, now: now))
        if let owed { #expect(files[id] == nil, "\(owed) is lost") }
    }

    // MARK: Names

    func rename(_ id: UploadID) {
        owedSuccesses[id] = nil
        files[id]?.name = nextNumber()
        files[id]?.isCandidate = below(4) > 0
        files[id]?.isBlocked = false
        files[id]?.quietSince = now
        run(queue.renamed(id, isCandidate: files[id]?.isCandidate == true, now: now))
    }

    func block(_ id: UploadID) {
        let isBlocked = below(3) == 0
        guard files[id]?.isBlocked != isBlocked else { return }
        files[id]?.isBlocked = isBlocked
        files[id]?.quietSince = now
        run(queue.placeholderBlocked(id, isBlocked, now: now))
    }

    func remove(_ id: UploadID) {
        owedSuccesses[id] = nil
        run(queue.removed(id))
        files[id] = nil
        commits.append(.removal(id))
        #expect(waiters[id] == nil)
    }

    func retry(_ id: UploadID) {
        guard let file = files[id] else { return }
        halves.remove(file.content)
        files[id]?.isFailed = false
        files[id]?.isWhole = true
        files[id]?.name = nextNumber()
        files[id]?.quietSince = now
        run(queue.retry(id, isCandidate: file.isCandidate, now: now))
    }

    // MARK: Journal

    func commit(fails: Bool = false) {
        guard !commits.isEmpty else { return }
        switch commits.removeFirst() {
        case .removal(let id): journal[id] = nil
        case .row(let row, let isFlush):
            let id = row.record.id
            if fails {
                if isFlush {
                    // Whoever wrote it was told so; what was committed before may be sent all the same.
                    if let file = files[id], file.content == row.content {
                        doubtful.insert(file.content)
                        if !synced.contains(row.content) {
                            halves.insert(file.content)
                            files[id]?.isWhole = false
                            owedSuccesses[id] = nil
                        }
                    }
                    run(queue.flushFailed(row.record))
                } else {
                    queue.journalFailed(row.record, now: now)
                    // The change that waited for it fails too.
                    if let file = files[id], row.record.version >= file.parkedVersion { files[id]?.parkedWrites = [] }
                }
                return
            }
            if row.record.stage == .complete { synced.insert(row.content) }
            // The journal of a removed file is not written to any more.
            if files[id] != nil { journal[id] = row }
            run(queue.journalled(row.record, now: now))
            if let parked = files[id]?.parkedWrites, !parked.isEmpty {
                files[id]?.parkedWrites = []
                for isEmptied in parked { write(id, isEmptied: isEmptied) }
            }
        }
    }

    // MARK: Server

    func end(_ send: UploadSend, _ outcome: SendOutcome) {
        let sent = running.removeValue(forKey: send)
        cancelled.remove(send)
        let file = files[send.id]
        var isOwed = false
        if case .success = outcome, let file, let sent {
            isOwed =
                queue.record(of: send.id)?.version == send.version && file.content == sent.content
                && file.name == sent.name
        }
        if isOwed { owedSuccesses[send.id] = send }
        run(queue.sendEnded(send, outcome, now: now, random: Double(below(1000)) / 1000))
        if isOwed, file?.writers == 0 { #expect(files[send.id] == nil, "a success is lost") }
    }

    func randomOutcome() -> SendOutcome {
        switch below(12) {
        case 0: .refused(status: 413, words: "")
        case 1: .again(after: nil, status: 500, words: "")
        case 2: .again(after: .seconds(below(20)), status: 503, words: "")
        case 3: .unauthorised(status: 401, words: "")
        case 4: .unreachable(words: "")
        case 5: .notSent(words: "")
        case 6: .lost(words: "")
        default: .success(status: 200, words: "")
        }
    }

    func pass(_ time: Duration) {
        let end = now + time
        while let deadline = queue.nextDeadline, deadline <= end {
            now = max(now, deadline)
            run(queue.timePassed(now: now))
            if queue.nextDeadline == deadline {
                Issue.record("wants to be called again for the same")
                break
            }
        }
        now = end
        run(queue.timePassed(now: now))
    }
}
