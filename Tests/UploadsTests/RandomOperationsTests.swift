import Platform
import SeededRandom
import Testing
import Uploads

/// Thousands of random events against `RandomOwner`'s model.
struct RandomOperationsTests {
    private static let steps = 6000

    private func step(_ owner: RandomOwner) {
        func on(_ isFit: (RandomOwner.File) -> Bool, _ event: (UploadID) -> Void) {
            if let id = owner.anyID(where: isFit) { event(id) }
        }
        switch owner.below(40) {
        case 0..<4: if owner.files.count < 12 { owner.create() }
        case 4..<6: on({ !$0.isFailed }) { owner.open($0) }
        case 6..<12: on({ $0.writers > 0 && !$0.isFailed }) { owner.write($0, isEmptied: owner.below(4) == 0) }
        // Writes end before their handle is flushed or closed.
        case 12..<16: on({ $0.writers > 0 && $0.parkedWrites.isEmpty }) { owner.flush($0) }
        case 16..<21: on({ $0.writers > 0 && $0.parkedWrites.isEmpty }) { owner.close($0) }
        case 21: on({ $0.writers > 0 && $0.parkedWrites.isEmpty }) { owner.kill($0) }
        case 22: on({ !$0.isFailed }) { owner.rename($0) }
        case 23: on({ !$0.isFailed }) { owner.block($0) }
        case 24: if owner.below(2) == 0 { on({ _ in true }) { owner.remove($0) } }
        case 25: on({ $0.isFailed }) { owner.retry($0) }
        case 26..<32: for _ in 0...owner.below(4) { owner.commit(fails: owner.below(20) == 0) }
        case 32..<36: endOne(owner)
        case 36..<39: owner.pass(.milliseconds(owner.below(owner.below(5) == 0 ? 30_000 : 1200)))
        default:
            if owner.below(10) == 0 { owner.run(owner.queue.resume(now: owner.now)) }
            if owner.below(20) == 0 { crash(owner) }
        }
    }

    private func endOne(_ owner: RandomOwner) {
        let sends = owner.running.keys.sorted { ($0.id, $0.version) < ($1.id, $1.version) }
        guard let send = sends.randomElement(using: &owner.random) else { return }
        let isCancelled = owner.cancelled.contains(send) && owner.below(3) > 0
        owner.end(send, isCancelled ? .cancelled : owner.randomOutcome())
    }

    /// The process dies: what is in the journal and in the spool is all there is.
    private func crash(_ owner: RandomOwner) {
        owner.queue = UploadQueue(owner.options)
        owner.files = [:]
        owner.commits = []
        owner.running = [:]
        owner.cancelled = []
        owner.begun = []
        owner.owedSuccesses = [:]
        owner.waiters = [:]
        for (id, row) in owner.journal.sorted(by: { $0.key < $1.key }) {
            guard let content = owner.spool[id] else {
                Issue.record("a row without a file")
                continue
            }
            switch row.record.stage {
            case .complete:
                #expect(row.content == content, "half new content passes for whole")
                // A writer failed before it changed a byte: what it meant to change is as whole as it was.
                owner.halves.remove(content)
            case .incomplete: owner.halves.insert(content)
            case .failed: break
            }
            owner.files[id] = RandomOwner.File(
                content: content, name: row.name, isCandidate: row.isCandidate,
                isFailed: row.record.stage == .failed, quietSince: owner.now,
                isWhole: row.record.stage == .complete)
            owner.run(owner.queue.restore(row.record, isCandidate: row.isCandidate, now: owner.now))
        }
    }

    /// Nothing new comes, everything works: what is whole and has a name to be sent under must arrive.
    private func drain(_ owner: RandomOwner) {
        while !owner.commits.isEmpty { owner.commit() }
        for id in owner.files.keys.sorted() {
            while let file = owner.files[id], file.writers > 0 { owner.close(id) }
            if owner.files[id]?.isBlocked == true {
                owner.files[id]?.isBlocked = false
                owner.files[id]?.quietSince = owner.now
                owner.run(owner.queue.placeholderBlocked(id, false, now: owner.now))
            }
        }
        for _ in 0..<10_000 {
            while !owner.commits.isEmpty { owner.commit() }
            if let send = owner.running.keys.min(by: { $0.id < $1.id }) {
                owner.end(send, owner.cancelled.contains(send) ? .cancelled : .success(status: 201, words: ""))
            } else if let deadline = owner.queue.nextDeadline {
                owner.pass(max(deadline - owner.now, .zero))
            } else if owner.commits.isEmpty {
                break
            }
        }
        #expect(owner.running.isEmpty && owner.commits.isEmpty && owner.queue.nextDeadline == nil)
        for (id, file) in owner.files {
            #expect(file.isFailed || !file.isCandidate, "\(id) never arrived")
            var committed = owner.journal[id]?.record
            committed?.needsSync = false
            #expect(committed == owner.queue.record(of: id))
        }
        #expect(Set(owner.journal.keys) == Set(owner.files.keys))
        #expect(owner.waiters.isEmpty && owner.owedSuccesses.isEmpty)
        #expect(owner.queue.summary(now: owner.now).pending == 0)
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func everyWholeFileArrivesOnceAndNothingElseDoes(seed: UInt64) {
        let owner = RandomOwner(seed: seed)
        for _ in 0..<Self.steps { step(owner) }
        drain(owner)
        // The run did what it is for.
        #expect(owner.succeeded > 50 && owner.failed > 10)
    }
}
