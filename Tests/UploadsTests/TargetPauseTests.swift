import Platform
import Testing
import Uploads

/// Failures that hold the whole target back.
struct TargetPauseTests {
    private var files = QueueFixture()
    private let unauthorised = SendOutcome.unauthorised(status: 401, words: "401 Unauthorized")

    private func put(_ count: Int) {
        for number in 1...count { files.put(Int64(number)) }
        files.pass(.seconds(1))
    }

    private func endAll(_ outcome: SendOutcome) {
        for send in files.running { files.end(send, outcome) }
    }

    @Test func anExpiredTokenStopsTheTargetAndLosesNothing() {
        put(5)
        let start = files.now
        var probes: [Double] = []
        endAll(unauthorised)
        while files.now < start + .seconds(300) {
            #expect(files.running.isEmpty)
            files.pass((files.queue.nextDeadline ?? files.now) - files.now)
            #expect(files.running.count == 1)
            probes.append((files.now - start).inSeconds)
            endAll(unauthorised)
        }
        #expect(probes == [10, 30, 70, 130, 190, 250, 310])
        #expect(files.queue.summary(now: files.now).pause?.words == "401 Unauthorized")
        files.run(files.queue.resume(now: files.now))
        #expect(files.running.count == 1)
        files.succeed(files.running.first)
        #expect(files.queue.summary(now: files.now).pause == nil)
        while let send = files.running.first { files.succeed(send) }
        for number in 1...5 { #expect(files.successes(Int64(number)) == 1) }
    }

    @Test func afterAResumeThePausesBeginAnew() {
        put(1)
        for _ in 0..<4 {
            endAll(unauthorised)
            files.pass(.seconds(60))
        }
        endAll(unauthorised)
        files.run(files.queue.resume(now: files.now))
        endAll(unauthorised)
        #expect(files.queue.nextDeadline == files.now + .seconds(20))
    }

    @Test func aFileThatIsAlwaysForbiddenLetsOthersThrough() {
        put(8)
        for _ in 0..<200 {
            for send in files.running {
                if send.id == QueueFixture.id(1) { files.end(send, unauthorised) } else { files.succeed(send) }
            }
            files.pass(.seconds(1))
        }
        #expect(files.queue.summary(now: files.now).sent == 7)
        #expect(files.failures(1).isEmpty)
    }

    @Test mutating func retryAfterHoldsForAllFiles() {
        files = QueueFixture { $0.parallel = 1 }
        put(3)
        endAll(.again(after: .seconds(120), status: 429, words: "429 Too Many Requests"))
        files.pass(.milliseconds(119_999))
        #expect(files.starts().count == 1)
        files.pass(.milliseconds(1))
        #expect(files.starts().count == 2)
        while let send = files.running.first { files.succeed(send) }
        #expect(files.queue.summary(now: files.now).sent == 3)
    }

    @Test(arguments: [(Duration.zero, Duration.seconds(1)), (.seconds(1_000_000), .seconds(3600))])
    mutating func retryAfterIsBounded(asked: Duration, kept: Duration) {
        put(1)
        endAll(.again(after: asked, status: 503, words: ""))
        #expect(files.queue.nextDeadline == files.now + kept)
    }

    @Test func withoutAConnectionOneFileTriesForAllAndForEver() {
        files.random = 0.999_999
        put(3)
        endAll(.unreachable(words: "connection refused"))
        var pauses: [Int64] = []
        for _ in 0..<20 {
            let before = files.now
            files.pass((files.queue.nextDeadline ?? files.now) - files.now)
            pauses.append(Int64((files.now - before).inSeconds.rounded()))
            #expect(files.running.count == 1)
            endAll(.unreachable(words: "connection refused"))
        }
        #expect(pauses.prefix(7) == [2, 4, 8, 16, 32, 60, 60])
        files.pass(.seconds(60))
        files.succeed(files.running.first)
        #expect(files.running.count == 2)
        while let send = files.running.first { files.succeed(send) }
        #expect(files.queue.summary(now: files.now).sent == 3)
    }

    @Test func whatBeganBeforeThePauseDoesNotLengthenOrEndIt() {
        put(3)
        let running = files.running
        files.end(running[0], unauthorised)
        files.pass(.seconds(3))
        files.end(running[1], unauthorised)
        files.succeed(running[2])
        #expect(files.queue.summary(now: files.now).pause != nil)
        #expect(files.queue.nextDeadline == files.now + .seconds(7))
    }

    @Test func aProbeThatIsTakenAwayIsFollowedByAnother() {
        put(3)
        endAll(unauthorised)
        files.pass(.seconds(10))
        let probe = files.running.first
        guard let probe else {
            Issue.record("no probe")
            return
        }
        files.run(files.queue.removed(probe.id))
        files.end(probe, .cancelled)
        #expect(files.running.count == 1)
        #expect(files.running.first?.id != probe.id)
    }

    @Test(arguments: [
        SendOutcome.refused(status: 413, words: ""), .notSent(words: ""), .lost(words: ""),
        .again(after: nil, status: 500, words: ""),
    ])
    func aProbeThatMeetsAnotherTroubleEndsThePause(_ outcome: SendOutcome) {
        put(4)
        endAll(unauthorised)
        files.pass(.seconds(10))
        endAll(outcome)
        #expect(files.queue.summary(now: files.now).pause == nil)
        #expect(files.running.count == 3)
    }
}
