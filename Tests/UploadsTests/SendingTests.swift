import Platform
import Testing
import Uploads

/// What becomes of a file after each way a transfer can end.
struct SendingTests {
    private let files = QueueFixture()

    // MARK: Changes while it is sent

    @Test func aChangeCancelsAndTheLastContentGoesLast() {
        let old = files.startSending(1)
        files.queue.writerOpened(QueueFixture.id(1))
        #expect(files.cancels(1).isEmpty)
        files.write(1)
        files.write(1)
        #expect(files.cancels(1) == [old].compactMap { $0 })
        files.flush(1)
        files.close(1)
        files.pass(.seconds(10))
        // One at a time, also while the old one is only being taken down.
        #expect(files.starts(1).count == 1)
        files.end(old, .cancelled)
        files.succeed(files.send(1))
        #expect(files.successes(1) == 1)
        #expect(files.starts(1).map(\.key) == ["key1-1", "key1-2"])
        #expect(files.starts(1).map(\.attempt) == [1, 1])
    }

    @Test(arguments: [
        SendOutcome.success(status: 201, words: ""), .refused(status: 413, words: ""), .lost(words: ""),
        .notSent(words: ""),
    ])
    func whatBecameOfAnOldContentIsNotAskedFor(_ outcome: SendOutcome) {
        let old = files.startSending(1)
        files.queue.writerOpened(QueueFixture.id(1))
        files.write(1)
        files.end(old, outcome)
        files.flush(1)
        files.close(1)
        files.pass(.seconds(1))
        #expect(files.starts(1).map(\.version) == [1, 2])
        #expect(files.successes(1) == 0 && files.failures(1).isEmpty)
    }

    @Test func anOpenFileLeavesOnlyOnceItIsClosedUnchanged() {
        let send = files.startSending(1)
        files.queue.writerOpened(QueueFixture.id(1))
        files.succeed(send)
        #expect(files.successes(1) == 0)
        #expect(files.state(1) == .writing)
        files.pass(.seconds(100))
        #expect(files.starts(1).count == 1)
        files.close(1)
        #expect(files.successes(1) == 1)
    }

    @Test func anOpenFileThatChangesAfterItsSuccessIsSentAgain() {
        let send = files.startSending(1)
        files.queue.writerOpened(QueueFixture.id(1))
        files.succeed(send)
        files.write(1)
        files.flush(1)
        files.close(1)
        #expect(files.successes(1) == 0)
        files.pass(.seconds(1))
        files.succeed(files.send(1))
        #expect(files.successes(1) == 1)
    }

    @Test func aRefusalOfAnOpenFileWaitsToo() {
        let send = files.startSending(1)
        files.queue.writerOpened(QueueFixture.id(1))
        files.end(send, .refused(status: 415, words: "no"))
        #expect(files.failures(1).isEmpty)
        files.close(1)
        #expect(files.failures(1) == [.refused(status: 415, words: "no")])
    }

    // MARK: Outcomes of one file

    @Test func triesOfOneContentShareItsKey() {
        _ = files.startSending(1)
        for outcome in [SendOutcome.notSent(words: ""), .again(after: nil, status: 500, words: ""), .lost(words: "")] {
            files.end(files.send(1), outcome)
            files.pass(.seconds(60))
        }
        #expect(Set(files.starts(1).map(\.key)) == ["key1-1"])
        #expect(files.starts(1).map(\.attempt) == [1, 2, 3, 4])
    }

    @Test(arguments: [SendOutcome.notSent(words: "reset"), .again(after: nil, status: 502, words: "bad gateway")])
    func pausesDoubleUpToTheLimit(_ outcome: SendOutcome) {
        files.random = 0.999_999
        _ = files.startSending(1)
        var pauses: [Int64] = []
        for _ in 0..<50 {
            files.end(files.send(1), outcome)
            #expect(files.state(1) == .waiting)
            let before = files.now
            files.pass((files.queue.nextDeadline ?? files.now) - files.now)
            pauses.append(Int64((files.now - before).inSeconds.rounded()))
        }
        #expect(pauses.prefix(8) == [2, 4, 8, 16, 32, 60, 60, 60])
        #expect(pauses.allSatisfy { $0 <= 60 })
        #expect(files.failures(1).isEmpty)
    }

    @Test func eachFailedTryIsJournalled() {
        files.end(files.startSending(1), .again(after: nil, status: 500, words: "500 Internal Server Error"))
        let record = files.journal[QueueFixture.id(1)]
        #expect(record?.attempts == 1 && record?.status == 500 && record?.words == "500 Internal Server Error")
        #expect(record?.stage == .complete && record?.needsSync == false)
    }

    @Test func aLostAnswerIsAskedForAFewTimes() {
        _ = files.startSending(1)
        for _ in 0..<3 {
            files.end(files.send(1), .lost(words: "no answer"))
            #expect(files.state(1) == .unknown)
            files.pass(.seconds(60))
        }
        // What was never out whole does not count.
        files.end(files.send(1), .notSent(words: "reset"))
        files.pass(.seconds(60))
        #expect(files.failures(1).isEmpty)
        files.end(files.send(1), .lost(words: "no answer"))
        #expect(files.failures(1) == [.resultUnknown(tries: 4, words: "no answer")])
        #expect(Set(files.starts(1).map(\.key)).count == 1)
    }

    @Test func aRefusedFileDoesNotHoldOthersBack() {
        files.put(1)
        for number in 2...4 { files.put(Int64(number)) }
        files.pass(.seconds(1))
        files.end(files.send(1), .refused(status: 413, words: ""))
        for number in 2...4 { files.succeed(files.send(Int64(number))) }
        files.pass(.seconds(1000))
        #expect(files.starts(1).count == 1)
        #expect(files.queue.summary(now: files.now).sent == 3)
    }

    @Test func aBurstGoesUpThreeAtATimeEachOnce() {
        for number in 1...300 { files.put(Int64(number)) }
        files.pass(.seconds(1))
        while let send = files.running.first {
            #expect(files.running.count <= 3)
            files.succeed(send)
        }
        #expect(files.starts().count == 300)
        #expect(Set(files.starts().map(\.id)).count == 300)
        #expect(files.starts().map(\.id) == files.starts().map(\.id).sorted())
        #expect(files.queue.summary(now: files.now).sent == 300)
    }

    @Test func theEndOfATransferCountsOnce() {
        let send = files.startSending(1)
        files.end(send, .notSent(words: ""))
        guard let send else { return }
        files.run(files.queue.sendEnded(send, .success(status: 200, words: ""), now: files.now, random: 0))
        #expect(files.successes(1) == 0)
    }

    @Test func aTransferIsWantedUntilItIsCancelledOrOver() throws {
        let send = try #require(files.startSending(1))
        #expect(files.queue.isWanted(send))
        files.rename(1)
        #expect(!files.queue.isWanted(send))
        files.end(send, .cancelled)
        #expect(!files.queue.isWanted(send))
        files.pass(.seconds(1))
        let second = try #require(files.send(1))
        #expect(files.queue.isWanted(second) && !files.queue.isWanted(send))
        files.run(files.queue.removed(QueueFixture.id(1)))
        #expect(!files.queue.isWanted(second))
    }

    // MARK: stop

    @Test func stoppingCancelsAndKeeps() {
        let send = files.startSending(1)
        files.put(2)
        files.run(files.queue.stop())
        #expect(files.cancels(1).count == 1)
        files.end(send, .cancelled)
        files.pass(.seconds(100))
        #expect(files.starts().count == 1)
        #expect(files.queue.nextDeadline == nil)
        #expect(files.queue.summary(now: files.now).pending == 2)
        #expect(files.journal.count == 2)
    }

    @Test func aSuccessDuringTheStopCounts() {
        let send = files.startSending(1)
        files.run(files.queue.stop())
        files.succeed(send)
        #expect(files.successes(1) == 1)
    }

    // MARK: Reports

    @Test func theReportTellsWhatHappened() throws {
        files.random = 0.5
        files.end(files.startSending(1), .again(after: nil, status: 500, words: "500 Internal Server Error"))
        let report = try #require(files.queue.report(of: QueueFixture.id(1), now: files.now))
        #expect(report.state == .waiting && report.attempts == 1 && report.status == 500)
        #expect(report.words == "500 Internal Server Error")
        #expect(report.nextTry == files.now + .milliseconds(1500))
        files.put(2)
        files.put(3, isCandidate: false)
        files.create(4)
        let summary = files.queue.summary(now: files.now)
        #expect(summary.counts == [.waiting: 1, .settling: 1, .parked: 1, .writing: 1])
        #expect(summary.pending == 3 && summary.sent == 0 && summary.pause == nil)
    }
}
