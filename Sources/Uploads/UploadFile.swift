import Platform

/// One file of an `UploadQueue`: what is known about its content, its place in the folder, its tries.
struct UploadFile: Sendable {
    let id: UploadID
    private let keyBase: String

    // The content.
    private(set) var version: Int64 = 1
    /// Whole: a flush or the last close ended it, and nothing changed since.
    private(set) var isComplete = false
    /// The present version is in the journal as complete.
    private(set) var isSaved = false
    /// The bytes of the complete content are on disk; a rename does not change that.
    private var isSynced = false
    /// The same of the content before the present change.
    private var wasSynced = false
    /// A writer failed in the middle: only a rewrite from the start makes it whole.
    var isSpoiled = false
    /// No row that passes for whole is in the journal or on the way there: the spool file may change.
    private(set) var mayWrite = true
    /// The first version whose incomplete row makes `mayWrite` true again.
    private var fence: Int64 = 1
    /// That row could not be committed.
    private var isFenceLost = false

    // The folder.
    var writers = 0
    var isCandidate: Bool
    var isBlocked = false
    var isFailed = false
    /// Only kept until its transfer ended.
    var isRemoved = false
    var quietSince: Instant

    // The tries.
    private(set) var attempts = 0
    private(set) var lostAnswers = 0
    var nextTry: Instant?
    private(set) var status = 0
    private(set) var words = ""
    var running: UploadSend?
    var isCancelling = false
    /// What was decided about the present version while the file was open for writing; counts if it is closed without a
    /// change.
    var held: UploadDecision?
    /// The version a writer waits for: sent without the quiet time, and though it is still open.
    var awaited: Int64?
    /// Its true entry in the schedule.
    var scheduled: Instant?

    init(id: UploadID, keyBase: String, isCandidate: Bool, now: Instant) {
        self.id = id
        self.keyBase = keyBase
        self.isCandidate = isCandidate
        quietSince = now
    }

    init(_ record: UploadRecord, isCandidate: Bool, now: Instant) {
        self.init(id: record.id, keyBase: record.keyBase, isCandidate: isCandidate, now: now)
        version = record.version
        isComplete = record.stage == .complete
        isSaved = isComplete
        isSynced = isComplete
        isSpoiled = record.stage == .incomplete
        mayWrite = !isComplete
        isFailed = record.stage == .failed
        attempts = record.attempts
        lostAnswers = record.lostAnswers
        status = record.status
        words = record.words
    }

    var record: UploadRecord {
        var record = UploadRecord(
            id: id, stage: isFailed ? .failed : isComplete ? .complete : .incomplete, version: version,
            keyBase: keyBase, attempts: attempts, lostAnswers: lostAnswers, status: status, words: words)
        record.needsSync = isComplete && !isSynced
        return record
    }

    /// From when it may be sent; nil if something other than time is in the way.
    func ready(settle: Duration) -> Instant? {
        guard isCandidate, isSaved, !isFailed, !isRemoved, !isBlocked, running == nil, held == nil else { return nil }
        if awaited == version { return nextTry ?? quietSince }
        guard writers == 0 else { return nil }
        return max(quietSince + settle, nextTry ?? quietSince)
    }

    /// The content is about to change. Returns whether an incomplete row must be journalled first.
    mutating func beginChange() -> Bool {
        if isComplete {
            isComplete = false
            wasSynced = isSynced
            isSynced = false
            mayWrite = false
            nextVersion()
            fence = version
            return true
        }
        defer { isFenceLost = false }
        return isFenceLost
    }

    mutating func finishContent() {
        isComplete = true
        isFenceLost = false
        mayWrite = false
    }

    /// Whether the bytes in the spool are those of the record, and not known to be on disk. While a change waits for the
    /// journal they are those before it, since rows are committed in order.
    func isUnsynced(_ record: UploadRecord) -> Bool {
        isComplete ? !isSynced && record.version >= fence : !mayWrite && !wasSynced
    }

    /// Another content or name: nothing that was tried or decided before counts for it.
    mutating func nextVersion() {
        version += 1
        isSaved = false
        attempts = 0
        lostAnswers = 0
        nextTry = nil
        status = 0
        words = ""
        held = nil
        awaited = nil
    }

    mutating func journalled(_ record: UploadRecord) {
        if record.stage == .incomplete, !isComplete, record.version >= fence {
            mayWrite = true
            isFenceLost = false
        }
        guard record.stage == .complete else { return }
        if !isComplete { wasSynced = true }
        guard isComplete, record.version >= fence else { return }
        isSynced = true
        if record.version == version { isSaved = true }
    }

    mutating func journalFailed() {
        // The next change asks for it at once.
        if !isComplete, !mayWrite { isFenceLost = true }
    }

    mutating func begin() -> UploadSend {
        attempts += 1
        let send = UploadSend(id: id, version: version, attempt: attempts, key: "\(keyBase)-\(version)")
        running = send
        isCancelling = false
        nextTry = nil
        return send
    }

    /// Takes over the transfer of a file whose place this one takes.
    mutating func keep(_ send: UploadSend, isCancelling: Bool) {
        running = send
        self.isCancelling = isCancelling
        attempts = max(attempts, send.attempt)
    }

    /// Takes in how a try of the present version ended; nil: it will be tried again.
    mutating func conclude(_ send: UploadSend, _ outcome: SendOutcome, unknownTries: Int) -> UploadDecision? {
        status = outcome.status
        words = outcome.words
        switch outcome {
        case .success(let status, let words): return .accepted(send, status: status, words: words)
        case .refused(let status, let words): return .failed(.refused(status: status, words: words))
        case .lost(let words):
            lostAnswers += 1
            return lostAnswers > unknownTries ? .failed(.resultUnknown(tries: lostAnswers, words: words)) : nil
        case .again, .unauthorised, .unreachable, .notSent, .cancelled: return nil
        }
    }

    func state(settle: Duration, now: Instant) -> UploadState {
        if isFailed { return .failed }
        if running != nil { return .sending }
        if writers > 0 { return .writing }
        if !isCandidate { return .parked }
        if isBlocked || now < quietSince + settle { return .settling }
        if let nextTry, now < nextTry { return lostAnswers > 0 ? .unknown : .waiting }
        return .queued
    }
}
