import Platform
import Testing
import Uploads

/// A queue with an owner that does as it is told: a journal, transfers whose end the test decides, a clock that the test
/// moves.
final class QueueFixture {
    var queue: UploadQueue
    var now = Instant(nanoseconds: 1_000_000_000_000)
    /// 0 ..< 1, the queue's chance.
    var random = 0.0
    /// All that was asked for.
    private(set) var log: [UploadAction] = []
    private(set) var running: [UploadSend] = []
    /// Not committed yet; emptied at once unless `holdsCommits`.
    private(set) var commits: [UploadRecord] = []
    var holdsCommits = false
    /// The last committed row of each file.
    private(set) var journal: [UploadID: UploadRecord] = [:]

    init(_ change: (inout UploadQueueOptions) -> Void = { _ in }) {
        var options = UploadQueueOptions()
        change(&options)
        queue = UploadQueue(options)
    }

    static func id(_ number: Int64) -> UploadID { UploadID(rawValue: number) }

    // MARK: Events

    func run(_ actions: [UploadAction]) {
        log += actions
        for action in actions {
            switch action {
            case .journal(let id), .setAside(let id, _):
                if let record = queue.record(of: id) { commits.append(record) }
            case .start(let send): running.append(send)
            case .succeeded(let send, _, _): journal[send.id] = nil
            case .cancel, .verdict: break
            }
        }
        if !holdsCommits { commitAll() }
    }

    func commitAll() {
        while !commits.isEmpty {
            let record = commits.removeFirst()
            journal[record.id] = record
            run(queue.journalled(record, now: now))
        }
    }

    func failCommit() {
        queue.journalFailed(commits.removeFirst(), now: now)
    }

    /// Creates a file and leaves it open.
    func create(_ number: Int64, isCandidate: Bool = true) {
        queue.add(Self.id(number), keyBase: "key\(number)", isCandidate: isCandidate, now: now)
        queue.writerOpened(Self.id(number))
    }

    func write(_ number: Int64, isEmptied: Bool = false) {
        run(queue.contentChanged(Self.id(number), isEmptied: isEmptied))
    }

    /// A flush whose commit the test ends itself.
    func beginFlush(_ number: Int64) -> UploadRecord? { queue.flushBegan(Self.id(number)) }

    @discardableResult
    func flush(_ number: Int64) -> UploadRecord? {
        let record = beginFlush(number)
        if let record { commits.append(record) }
        if !holdsCommits { commitAll() }
        return record
    }

    func close(_ number: Int64) { run(queue.writerClosed(Self.id(number), now: now)) }

    /// A whole file, closed.
    func put(_ number: Int64, isCandidate: Bool = true) {
        create(number, isCandidate: isCandidate)
        write(number)
        flush(number)
        close(number)
    }

    func rename(_ number: Int64, isCandidate: Bool = true) {
        run(queue.renamed(Self.id(number), isCandidate: isCandidate, now: now))
    }

    func awaitVerdict(_ number: Int64, version: Int64) {
        run(queue.awaitVerdict(Self.id(number), version: version, now: now))
    }

    /// Moves the clock, stopping wherever the queue wants to be called.
    func pass(_ time: Duration) {
        let end = now + time
        while let deadline = queue.nextDeadline, deadline <= end {
            now = max(now, deadline)
            run(queue.timePassed(now: now))
            guard queue.nextDeadline != deadline else {
                Issue.record("the queue wants to be called at \(deadline) again")
                break
            }
        }
        now = end
    }

    /// Puts a file and waits until it is being sent.
    func startSending(_ number: Int64) -> UploadSend? {
        put(number)
        pass(.seconds(1))
        return send(number)
    }

    func end(_ send: UploadSend?, _ outcome: SendOutcome) {
        guard let send, let place = running.firstIndex(of: send) else {
            Issue.record("\(String(describing: send)) is not being sent")
            return
        }
        running.remove(at: place)
        run(queue.sendEnded(send, outcome, now: now, random: random))
    }

    func succeed(_ send: UploadSend?) { end(send, .success(status: 201, words: "stored")) }

    // MARK: What happened

    func send(_ number: Int64) -> UploadSend? { running.first { $0.id == Self.id(number) } }

    func starts(_ number: Int64? = nil) -> [UploadSend] {
        log.compactMap { action in
            guard case .start(let send) = action, number == nil || send.id == Self.id(number ?? 0) else { return nil }
            return send
        }
    }

    func cancels(_ number: Int64) -> [UploadSend] {
        log.compactMap { action in
            guard case .cancel(let send) = action, send.id == Self.id(number) else { return nil }
            return send
        }
    }

    func successes(_ number: Int64) -> Int {
        log.count {
            if case .succeeded(let send, _, _) = $0 { send.id == Self.id(number) } else { false }
        }
    }

    func failures(_ number: Int64) -> [FailureReason] {
        log.compactMap { action in
            guard case .setAside(let id, let reason) = action, id == Self.id(number) else { return nil }
            return reason
        }
    }

    func verdicts(_ number: Int64) -> [UploadVerdict] {
        log.compactMap { action in
            guard case .verdict(let id, _, let verdict) = action, id == Self.id(number) else { return nil }
            return verdict
        }
    }

    func state(_ number: Int64) -> UploadState? { queue.report(of: Self.id(number), now: now)?.state }
}
