import Platform
import Testing
import Uploads

/// `upload=wait`: a writer's close waits for the server.
struct WaitingWriterTests {
    private var files = QueueFixture()

    /// A file whose FLUSH waits; it is still open.
    private func waitForFlush(_ number: Int64, isCandidate: Bool = true) throws {
        files.create(number, isCandidate: isCandidate)
        files.write(number)
        let record = try #require(files.flush(number))
        files.awaitVerdict(number, version: record.version)
    }

    @Test func itIsSentAtOnceThoughItIsOpen() throws {
        try waitForFlush(1)
        let send = try #require(files.send(1))
        #expect(files.verdicts(1).isEmpty)
        files.succeed(send)
        #expect(files.verdicts(1) == [.accepted])
        #expect(files.successes(1) == 0)
        files.close(1)
        #expect(files.successes(1) == 1)
        files.pass(.seconds(100))
        #expect(files.starts(1).count == 1)
    }

    @Test func aRefusalIsToldAndSetAsideAtTheClose() throws {
        try waitForFlush(1)
        files.end(files.send(1), .refused(status: 415, words: "no"))
        #expect(files.verdicts(1) == [.failed(.refused(status: 415, words: "no"))])
        #expect(files.failures(1).isEmpty)
        files.close(1)
        #expect(files.failures(1).count == 1)
    }

    @Test func aTryThatMayBeRepeatedIsNoVerdict() throws {
        try waitForFlush(1)
        files.end(files.send(1), .notSent(words: ""))
        files.pass(.seconds(10))
        #expect(files.verdicts(1).isEmpty)
        files.succeed(files.send(1))
        #expect(files.verdicts(1) == [.accepted])
    }

    @Test func itWaitsForTheJournal() throws {
        files.create(1)
        files.write(1)
        files.holdsCommits = true
        let record = try #require(files.flush(1))
        files.awaitVerdict(1, version: record.version)
        #expect(files.starts().isEmpty)
        files.commitAll()
        #expect(files.starts(1).count == 1)
    }

    @Test func laterBytesAreANewContent() throws {
        try waitForFlush(1)
        let old = files.send(1)
        files.write(1)
        #expect(files.verdicts(1) == [.withdrawn])
        #expect(files.cancels(1).count == 1)
        files.end(old, .cancelled)
        files.flush(1)
        files.close(1)
        files.pass(.seconds(1))
        files.succeed(files.send(1))
        #expect(files.verdicts(1).count == 1)
        #expect(files.starts(1).map(\.version) == [1, 2])
    }

    @Test func renameRemovalAndStopWithdraw() throws {
        for number in 1...3 { try waitForFlush(Int64(number)) }
        files.rename(1)
        files.run(files.queue.removed(QueueFixture.id(2)))
        files.run(files.queue.stop())
        for number in 1...3 { #expect(files.verdicts(Int64(number)) == [.withdrawn]) }
        for send in files.running { files.end(send, .cancelled) }
        for number in 1...3 { #expect(files.verdicts(Int64(number)) == [.withdrawn]) }
    }

    @Test func whatIsNotSentHasNoVerdict() throws {
        try waitForFlush(1, isCandidate: false)
        #expect(files.verdicts(1) == [.withdrawn])
        files.awaitVerdict(2, version: 1)
        #expect(files.verdicts(2) == [.withdrawn])
        try waitForFlush(3)
        files.awaitVerdict(3, version: 9)
        #expect(files.verdicts(3) == [.withdrawn])
    }

    @Test mutating func aPlaceholderDoesNotHoldItsWriter() throws {
        files = QueueFixture { $0.parallel = 1 }
        try waitForFlush(1)
        try waitForFlush(2)
        files.run(files.queue.placeholderBlocked(QueueFixture.id(2), true, now: files.now))
        #expect(files.verdicts(2) == [.withdrawn])
        files.awaitVerdict(2, version: 1)
        #expect(files.verdicts(2) == [.withdrawn, .withdrawn])
    }

    @Test func aSecondWaiterLearnsWhatIsDecided() throws {
        try waitForFlush(1)
        files.succeed(files.send(1))
        files.awaitVerdict(1, version: 1)
        #expect(files.verdicts(1) == [.accepted, .accepted])
    }
}
