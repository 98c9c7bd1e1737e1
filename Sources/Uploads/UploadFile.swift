import Platform

/// One file of an `UploadQueue`: what is known about its content, its name, its tries.
struct UploadFile: Sendable {
    let id: UploadID
    private let keyBase: String

    // The content.
    private(set) var version: Int64 = 1
    /// No writer is in the middle of it: it may be journalled as complete.
    private(set) var isComplete = false
    /// The present version is in the journal as complete.
    private(set) var isSaved = false
    /// The bytes of a complete content are on disk (a rename keeps them).
    private(set) var isSynced = false
    /// A writer died in the middle; only a rewrite from the start heals that.
    var isSpoiled = false
    /// The journal says of no older version that it is complete, or will not after this version's row: the spool file
    /// may change.
    private(set) var mayWrite = true
    /// The first version whose incomplete row makes `mayWrite` true again.
    private var fence: Int64 = 1

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

    /// The content is about to change. Returns whether that must be journalled first.
    mutating func beginChange() -> Bool {
        guard isComplete else { return false }
        isComplete = false
        isSynced = false
        nextVersion()
        mayWrite = false
        fence = version
        return true
    }

    mutating func finishContent() {
        isComplete = true
        mayWrite = false
    }

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
        if record.stage == .incomplete, !isComplete, record.version >= fence { mayWrite = true }
        guard record.stage == .complete, isComplete, record.version == version else { return }
        isSaved = true
        isSynced = true
    }

    mutating func begin() -> UploadSend {
        attempts += 1
        let send = UploadSend(id: id, version: version, attempt: attempts, key: "\(keyBase)-\(version)")
        running = send
        isCancelling = false
        nextTry = nil
        return send
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
