import Platform
import Testing

@testable import Uploads

/// When a content is whole, and what becomes of one that is not.
struct ContentTests {
    private let files = QueueFixture()

    @Test func aClosedFileIsSentOnceItWasQuiet() throws {
        files.put(1)
        #expect(files.state(1) == .settling)
        files.pass(.milliseconds(999))
        #expect(files.running.isEmpty)
        files.pass(.milliseconds(1))
        #expect(files.state(1) == .sending)
        let send = try #require(files.send(1))
        #expect(send == UploadSend(id: QueueFixture.id(1), version: 1, attempt: 1, key: "key1-1"))
        files.succeed(send)
        #expect(files.log.last == .succeeded(send, status: 201, words: "stored"))
        #expect(files.state(1) == nil)
        #expect(files.queue.record(of: send.id) == nil)
        #expect(files.queue.nextDeadline == nil)
        #expect(files.queue.summary(now: files.now).sent == 1)
    }

    @Test func aSlowWriterIsNeverOvertaken() {
        files.create(1)
        for _ in 0..<5 {
            files.write(1)
            files.flush(1)
            files.pass(.seconds(10))
        }
        #expect(files.state(1) == .writing)
        #expect(files.starts().isEmpty)
        files.close(1)
        files.pass(.seconds(1))
        #expect(files.starts(1).count == 1)
    }

    @Test func theLastOfSeveralWritersCounts() {
        files.put(1)
        files.queue.writerOpened(QueueFixture.id(1))
        files.queue.writerOpened(QueueFixture.id(1))
        files.pass(.seconds(5))
        files.close(1)
        files.pass(.seconds(5))
        #expect(files.starts().isEmpty)
        files.close(1)
        files.pass(.milliseconds(900))
        #expect(files.starts().isEmpty)
        files.pass(.milliseconds(100))
        #expect(files.starts(1).count == 1)
    }

    @Test func anEmptyFileGoesUp() {
        files.create(1)
        files.flush(1)
        files.close(1)
        files.pass(.seconds(1))
        #expect(files.starts(1).count == 1)
    }

    @Test func contentBeforeTheQuietTimeEndsGoesAlone() {
        files.create(1)
        files.flush(1)
        files.close(1)
        files.pass(.milliseconds(500))
        files.queue.writerOpened(QueueFixture.id(1))
        files.write(1)
        files.flush(1)
        files.close(1)
        files.pass(.seconds(1))
        files.succeed(files.send(1))
        files.pass(.seconds(100))
        #expect(files.starts(1).map(\.version) == [2])
    }

    @Test func nothingIsSentBeforeItIsInTheJournal() {
        files.holdsCommits = true
        files.put(1)
        files.pass(.seconds(100))
        #expect(files.starts().isEmpty)
        files.commitAll()
        #expect(files.starts(1).count == 1)
    }

    @Test func theOldRowOfARenamedFileDoesNotCount() {
        files.holdsCommits = true
        files.put(1)
        files.rename(1)
        files.pass(.seconds(100))
        let old = files.commits[0]
        files.run(files.queue.journalled(old, now: files.now))
        #expect(files.starts().isEmpty)
        files.commitAll()
        #expect(files.starts(1).map(\.key) == ["key1-2"])
    }

    @Test func aWholeFileChangesOnlyAfterTheJournalKnows() {
        files.create(1)
        #expect(files.queue.mayWrite(QueueFixture.id(1)))
        files.write(1)
        #expect(files.commits.isEmpty && files.queue.mayWrite(QueueFixture.id(1)))
        files.flush(1)
        files.holdsCommits = true
        files.write(1)
        files.write(1)
        #expect(!files.queue.mayWrite(QueueFixture.id(1)))
        #expect(files.commits.map(\.stage) == [.incomplete])
        files.commitAll()
        #expect(files.queue.mayWrite(QueueFixture.id(1)))
        #expect(files.journal[QueueFixture.id(1)]?.version == 2)
    }

    @Test func aFlushBetweenTwoWritesIsNotTakenForTheRow() {
        files.create(1)
        files.write(1)
        files.flush(1)
        files.holdsCommits = true
        files.write(1)
        // Another handle's flush comes before the first write could begin.
        files.flush(1)
        files.commitAll()
        #expect(!files.queue.mayWrite(QueueFixture.id(1)))
        files.write(1)
        files.commitAll()
        #expect(files.queue.mayWrite(QueueFixture.id(1)))
        #expect(files.queue.record(of: QueueFixture.id(1))?.version == 3)
    }

    @Test func bytesWrittenAfterTheFlushAreSavedAtTheEnd() throws {
        files.create(1)
        files.write(1)
        files.flush(1)
        files.write(1)
        files.holdsCommits = true
        files.close(1)
        let record = try #require(files.commits.first)
        #expect(record.stage == .complete && record.version == 2 && record.needsSync)
        files.commitAll()
        files.pass(.seconds(1))
        #expect(files.starts(1).map(\.version) == [2])
    }

    @Test func onlyChangedBytesAreSynchronised() {
        files.put(1)
        files.rename(1)
        #expect(files.journal[QueueFixture.id(1)]?.needsSync == false)
        #expect(files.flush(1) == nil)
    }

    // MARK: Writers that fail

    @Test func aKilledWriterLeavesAnIncompleteFile() {
        files.create(1)
        files.write(1)
        files.queue.writerFailed(QueueFixture.id(1))
        #expect(files.flush(1) == nil)
        files.close(1)
        #expect(files.failures(1) == [.incomplete])
        #expect(files.state(1) == .failed)
        #expect(files.journal[QueueFixture.id(1)]?.stage == .failed)
        files.pass(.seconds(100))
        #expect(files.starts().isEmpty)
    }

    @Test func whatWasFlushedBeforeTheKillIsWhole() {
        files.create(1)
        files.write(1)
        files.flush(1)
        files.queue.writerFailed(QueueFixture.id(1))
        files.close(1)
        files.pass(.seconds(1))
        #expect(files.starts(1).count == 1)
    }

    @Test func onlyARewriteHealsAKilledFile() {
        files.create(1)
        files.write(1)
        files.queue.writerFailed(QueueFixture.id(1))
        files.queue.writerOpened(QueueFixture.id(1))
        files.close(1)
        files.write(1)
        #expect(files.flush(1) == nil)
        files.write(1, isEmptied: true)
        files.write(1)
        #expect(files.flush(1) != nil)
        files.close(1)
        files.pass(.seconds(1))
        #expect(files.failures(1).isEmpty)
        #expect(files.starts(1).count == 1)
    }

    @Test func anIncompleteTemporaryFileStaysUntilItGetsAName() {
        files.create(1, isCandidate: false)
        files.write(1)
        files.queue.writerFailed(QueueFixture.id(1))
        files.close(1)
        #expect(files.state(1) == .parked)
        files.rename(1)
        #expect(files.failures(1) == [.incomplete])
    }

    @Test func aFlushThatFailsLeavesAnIncompleteFile() throws {
        files.create(1)
        files.write(1)
        let record = try #require(files.beginFlush(1))
        files.run(files.queue.flushFailed(record))
        files.close(1)
        #expect(files.failures(1) == [.incomplete])
        #expect(files.starts().isEmpty)
    }

    @Test func aFailedFlushIsHealedByARewriteThatTheJournalKnowsOf() throws {
        files.create(1)
        files.write(1)
        let record = try #require(files.beginFlush(1))
        files.holdsCommits = true
        files.run(files.queue.flushFailed(record))
        #expect(files.commits.map(\.stage) == [.incomplete])
        files.failCommit()
        files.write(1, isEmptied: true)
        #expect(files.commits.map(\.stage) == [.incomplete])
        #expect(!files.queue.mayWrite(QueueFixture.id(1)))
        files.holdsCommits = false
        files.commitAll()
        #expect(files.queue.mayWrite(QueueFixture.id(1)))
        // Nothing was emptied yet.
        #expect(files.flush(1) == nil)
        files.write(1, isEmptied: true)
        files.flush(1)
        files.close(1)
        files.pass(.seconds(1))
        #expect(files.starts(1).map(\.version) == [2])
    }

    @Test func aFailedFlushIsRememberedAcrossARename() throws {
        files.create(1)
        files.write(1)
        let record = try #require(files.beginFlush(1))
        files.holdsCommits = true
        files.rename(1)
        files.run(files.queue.flushFailed(record))
        files.commitAll()
        #expect(files.journal[record.id]?.stage == .incomplete)
        files.close(1)
        #expect(files.failures(1) == [.incomplete])
    }

    @Test func aFlushThatFailsBelowAWaitingChangeSpoilsItToo() throws {
        files.create(1)
        files.write(1)
        let record = try #require(files.beginFlush(1))
        files.holdsCommits = true
        files.write(1)
        files.run(files.queue.flushFailed(record))
        files.commitAll()
        files.write(1)
        files.close(1)
        #expect(files.failures(1) == [.incomplete])
    }

    @Test func ofTwoFlushesOneIsEnough() throws {
        files.create(1)
        files.write(1)
        files.flush(1)
        let record = try #require(files.queue.record(of: QueueFixture.id(1)))
        files.holdsCommits = true
        files.write(1)
        files.run(files.queue.flushFailed(record))
        files.commitAll()
        files.write(1)
        files.flush(1)
        files.close(1)
        files.commitAll()
        files.pass(.seconds(1))
        #expect(files.failures(1).isEmpty)
        #expect(files.starts(1).map(\.version) == [2])
    }

    @Test func aFailedFlushOfAnOlderContentSaysNothing() throws {
        files.create(1)
        let record = try #require(files.beginFlush(1))
        files.write(1)
        files.write(1)
        files.run(files.queue.flushFailed(record))
        files.flush(1)
        files.close(1)
        files.pass(.seconds(1))
        #expect(files.starts(1).count == 1)
    }

    /// In the spool it is another file, so it does not have to wait for the journal.
    @Test func aReplacedContentIsWholeAgainAtOnce() {
        files.create(1)
        files.flush(1)
        files.holdsCommits = true
        files.write(1)
        files.queue.writerFailed(QueueFixture.id(1))
        files.run(files.queue.contentChanged(QueueFixture.id(1), isEmptied: true))
        #expect(files.queue.flushBegan(QueueFixture.id(1)) == nil)
        files.run(files.queue.contentReplaced(QueueFixture.id(1)))
        #expect(files.queue.flushBegan(QueueFixture.id(1))?.stage == .complete)
    }

    @Test func openWritersAreCounted() {
        #expect(files.queue.writers(of: QueueFixture.id(1)) == 0)
        files.create(1)
        files.queue.writerOpened(QueueFixture.id(1))
        #expect(files.queue.writers(of: QueueFixture.id(1)) == 2)
        files.close(1)
        #expect(files.queue.writers(of: QueueFixture.id(1)) == 1)
    }

    // MARK: Commits that fail

    @Test func aFailedCommitIsAskedForAgain() {
        files.create(1)
        files.write(1)
        files.holdsCommits = true
        files.close(1)
        files.failCommit()
        files.pass(.milliseconds(4999))
        #expect(files.commits.isEmpty)
        files.pass(.milliseconds(1))
        files.failCommit()
        files.pass(.seconds(5))
        #expect(files.commits.count == 1)
        files.commitAll()
        #expect(files.starts(1).count == 1)
        #expect(files.queue.nextDeadline == nil)
    }

    @Test func aChangeThatCouldNotBeJournalledAsksAgain() {
        files.create(1)
        files.write(1)
        files.flush(1)
        files.holdsCommits = true
        files.write(1)
        files.failCommit()
        files.write(1)
        #expect(files.commits.map(\.stage) == [.incomplete])
        #expect(!files.queue.mayWrite(QueueFixture.id(1)))
        files.commitAll()
        #expect(files.queue.mayWrite(QueueFixture.id(1)))
    }

    @Test func aRemovedFileIsNotCommittedAgain() {
        files.create(1)
        files.holdsCommits = true
        files.close(1)
        files.failCommit()
        files.run(files.queue.removed(QueueFixture.id(1)))
        files.pass(.seconds(10))
        #expect(files.commits.isEmpty)
    }
}
