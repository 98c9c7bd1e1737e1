import Platform
import Testing

@testable import Uploads

/// Renames, removals, placeholders, files moved back from `failed/`, restarts.
struct NamesInQueueTests {
    private var files = QueueFixture()

    @Test func aTemporaryNameIsParkedUntilTheRename() {
        files.put(1, isCandidate: false)
        files.pass(.seconds(100))
        #expect(files.state(1) == .parked)
        #expect(files.starts().isEmpty)
        files.rename(1)
        files.pass(.milliseconds(999))
        #expect(files.starts().isEmpty)
        files.pass(.milliseconds(1))
        files.succeed(files.send(1))
        #expect(files.successes(1) == 1)
        #expect(files.starts(1).count == 1)
    }

    @Test func aQueuedFileGoesUpUnderTheLastName() {
        files.put(1)
        files.rename(1)
        files.pass(.milliseconds(500))
        files.rename(1)
        files.pass(.seconds(1))
        #expect(files.starts(1).map(\.key) == ["key1-3"])
    }

    @Test func aRenameCancelsWhatRuns() {
        let old = files.startSending(1)
        files.rename(1)
        #expect(files.cancels(1).count == 1)
        files.pass(.seconds(10))
        #expect(files.starts(1).count == 1)
        files.end(old, .cancelled)
        let new = files.send(1)
        #expect(new?.key == "key1-2")
        files.succeed(new)
        files.pass(.seconds(100))
        #expect(files.successes(1) == 1)
        #expect(files.starts(1).count == 2)
    }

    @Test func aTransferThatEndsInSpiteOfTheRenameIsNotTheLastWord() {
        let old = files.startSending(1)
        files.rename(1)
        files.succeed(old)
        #expect(files.successes(1) == 0)
        files.pass(.seconds(1))
        files.succeed(files.send(1))
        #expect(files.successes(1) == 1)
    }

    @Test func aRenameToATemporaryNameTakesItOut() {
        let send = files.startSending(1)
        files.rename(1, isCandidate: false)
        files.end(send, .cancelled)
        files.pass(.seconds(100))
        #expect(files.starts(1).count == 1)
        #expect(files.state(1) == .parked)
    }

    @Test func aRemovedFileIsNeverSent() {
        files.put(1)
        files.run(files.queue.removed(QueueFixture.id(1)))
        files.pass(.seconds(100))
        #expect(files.starts().isEmpty)
        #expect(files.queue.nextDeadline == nil)
    }

    @Test mutating func aRemovedFileGivesItsPlaceBackOnceItsTransferEnded() {
        files = QueueFixture { $0.parallel = 1 }
        let send = files.startSending(1)
        files.put(2)
        files.run(files.queue.removed(QueueFixture.id(1)))
        files.run(files.queue.removed(QueueFixture.id(1)))
        #expect(files.cancels(1).count == 1)
        #expect(files.state(1) == nil)
        files.pass(.seconds(10))
        #expect(files.send(2) == nil)
        files.end(send, .notSent(words: "reset"))
        #expect(files.send(2) != nil)
        files.pass(.seconds(100))
        #expect(files.starts(1).count == 1)
    }

    @Test func theSuccessOfARemovedFileIsNotReported() {
        let send = files.startSending(1)
        files.run(files.queue.removed(QueueFixture.id(1)))
        files.succeed(send)
        #expect(files.successes(1) == 0)
    }

    // MARK: Placeholders

    @Test func aPlaceholderWaitsForItsDownload() {
        files.put(1)
        files.run(files.queue.placeholderBlocked(QueueFixture.id(1), true, now: files.now))
        files.pass(.seconds(100))
        #expect(files.starts().isEmpty)
        #expect(files.state(1) == .settling)
        #expect(files.queue.summary(now: files.now).pending == 1)
        files.run(files.queue.placeholderBlocked(QueueFixture.id(1), false, now: files.now))
        files.pass(.milliseconds(999))
        #expect(files.starts().isEmpty)
        files.pass(.milliseconds(1))
        #expect(files.starts(1).count == 1)
    }

    @Test func aFilledPlaceholderGoesUp() {
        files.put(1)
        files.run(files.queue.placeholderBlocked(QueueFixture.id(1), true, now: files.now))
        files.queue.writerOpened(QueueFixture.id(1))
        files.write(1, isEmptied: true)
        files.write(1)
        files.flush(1)
        files.close(1)
        files.pass(.seconds(1))
        #expect(files.starts(1).map(\.version) == [2])
    }

    // MARK: failed/

    @Test func aRefusedFileIsTriedAgainOnlyOnceItIsMovedBack() {
        files.end(files.startSending(1), .refused(status: 413, words: "too large"))
        #expect(files.failures(1) == [.refused(status: 413, words: "too large")])
        files.rename(1)
        files.write(1)
        files.pass(.seconds(1000))
        #expect(files.starts(1).count == 1)
        files.run(files.queue.retry(QueueFixture.id(1), isCandidate: true, now: files.now))
        #expect(files.journal[QueueFixture.id(1)]?.stage == .complete)
        files.pass(.seconds(1))
        #expect(files.starts(1).map(\.key) == ["key1-1", "key1-2"])
        #expect(files.send(1)?.attempt == 1)
    }

    @Test func anIncompleteFileIsSentAsItIsIfSomebodyWantsIt() {
        files.create(1)
        files.write(1)
        files.queue.writerFailed(QueueFixture.id(1))
        files.close(1)
        files.run(files.queue.retry(QueueFixture.id(1), isCandidate: true, now: files.now))
        files.pass(.seconds(1))
        #expect(files.starts(1).count == 1)
    }

    @Test func onlyFailedFilesAreRetried() {
        files.put(1)
        files.run(files.queue.retry(QueueFixture.id(1), isCandidate: true, now: files.now))
        files.pass(.seconds(1))
        #expect(files.starts(1).map(\.version) == [1])
    }

    // MARK: Restarts

    private func record(_ number: Int64, _ stage: UploadRecord.Stage, lostAnswers: Int = 0) -> UploadRecord {
        UploadRecord(
            id: QueueFixture.id(number), stage: stage, version: 7, keyBase: "old", attempts: 3,
            lostAnswers: lostAnswers, status: 503, words: "busy")
    }

    @Test func aRestartGoesOnUnderTheSameKey() {
        files.run(files.queue.restore(record(1, .complete), isCandidate: true, now: files.now))
        #expect(files.queue.record(of: QueueFixture.id(1)) == record(1, .complete))
        files.pass(.seconds(1))
        #expect(files.send(1) == UploadSend(id: QueueFixture.id(1), version: 7, attempt: 4, key: "old-7"))
    }

    @Test func aFileThatWasBeingWrittenAtACrashIsIncomplete() {
        files.run(files.queue.restore(record(1, .incomplete), isCandidate: true, now: files.now))
        #expect(files.failures(1) == [.incomplete])
        files.run(files.queue.restore(record(2, .incomplete), isCandidate: false, now: files.now))
        #expect(files.state(2) == .parked)
        files.rename(2)
        #expect(files.failures(2) == [.incomplete])
    }

    @Test func failedAndParkedFilesStayWhereTheyAre() {
        files.run(files.queue.restore(record(1, .failed), isCandidate: true, now: files.now))
        files.run(files.queue.restore(record(2, .complete), isCandidate: false, now: files.now))
        files.pass(.seconds(100))
        #expect(files.log.isEmpty)
        #expect(files.state(1) == .failed)
        #expect(files.state(2) == .parked)
        files.rename(2)
        files.pass(.seconds(1))
        #expect(files.send(2)?.key == "old-8")
    }

    @Test func lostAnswersAreCountedAcrossRestarts() {
        files.run(files.queue.restore(record(1, .complete, lostAnswers: 3), isCandidate: true, now: files.now))
        files.pass(.seconds(1))
        files.end(files.send(1), .lost(words: "reset"))
        #expect(files.failures(1) == [.resultUnknown(tries: 4, words: "reset")])
    }

    @Test func aRestoredFileChangesOnlyAfterTheJournalKnows() {
        files.run(files.queue.restore(record(1, .complete), isCandidate: true, now: files.now))
        #expect(!files.queue.mayWrite(QueueFixture.id(1)))
        files.queue.writerOpened(QueueFixture.id(1))
        files.write(1)
        #expect(files.journal[QueueFixture.id(1)]?.stage == .incomplete)
        #expect(files.queue.mayWrite(QueueFixture.id(1)))
    }

    @Test func aFileThatIsPutBackKeepsItsTransfer() throws {
        let old = try #require(files.startSending(1))
        let kept = try #require(files.journal[QueueFixture.id(1)])
        files.queue.writerOpened(QueueFixture.id(1))
        files.write(1, isEmptied: true)
        files.run(files.queue.removed(QueueFixture.id(1)))
        files.run(files.queue.restore(kept, isCandidate: true, now: files.now))
        files.pass(.seconds(10))
        #expect(files.starts(1).count == 1)
        files.end(old, .cancelled)
        let new = try #require(files.send(1))
        #expect(new.key == old.key && new.attempt == 2)
        files.succeed(new)
        for number in 2...4 { files.put(Int64(number)) }
        files.pass(.seconds(1))
        #expect(files.running.count == 3)
    }

    @Test func unknownFilesDoNothing() {
        files.write(9)
        files.flush(9)
        files.close(9)
        files.rename(9)
        files.run(files.queue.removed(QueueFixture.id(9)))
        files.run(files.queue.retry(QueueFixture.id(9), isCandidate: true, now: files.now))
        files.run(files.queue.placeholderBlocked(QueueFixture.id(9), true, now: files.now))
        files.queue.writerOpened(QueueFixture.id(9))
        files.queue.writerFailed(QueueFixture.id(9))
        let send = UploadSend(id: QueueFixture.id(9), version: 1, attempt: 1, key: "")
        files.run(files.queue.sendEnded(send, .success(status: 200, words: ""), now: files.now, random: 0))
        files.pass(.seconds(100))
        #expect(files.log.isEmpty)
        #expect(files.queue.mayWrite(QueueFixture.id(9)))
        #expect(files.queue.summary(now: files.now).counts.isEmpty)
    }
}
