import FoundationEssentials
import Glibc
import Platform
import SeededRandom
import Testing

@testable import Store

/// kill -9 at any moment of commits: what was acknowledged is there, and nothing is there by half.
struct KilledProcessTests {
    @Test func whatWasAcknowledgedSurvivesKill() async throws {
        let temporary = try TemporaryFolder()
        let seed: UInt64 = 20
        var done = 0
        var random = SplitMix(seed: 21)
        for round in 0..<12 {
            let (path, count) = (temporary.path, done)
            // One in four is killed while it opens the journal.
            let wanted = round % 4 == 0 ? 0 : Int.random(in: 1...60, using: &random)
            let delay = UInt32.random(in: 0...3000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, seed = seed as UInt64, count = count as Int, wanted = wanted as Int,
                    delay = delay as UInt32
                ] in
                try commitUntilKilled(path, seed, count, KillTime(commits: wanted, microseconds: delay))
            }
            let acknowledged = try Data(contentsOf: URL(filePath: path + "/acknowledged")).count
            done = try check(temporary, seed, atLeast: done + acknowledged, "round \(round)")
        }
        #expect(done > 100)
    }

    /// Compares with the model, and with the files.
    /// - Returns: the number of steps the journal has.
    private func check(_ temporary: TemporaryFolder, _ seed: UInt64, atLeast least: Int, _ round: String) throws -> Int
    {
        try temporary.withJournal { journal, folder in
            #expect(!journal.wasDamaged, "\(round)")
            let contents = try journal.load()
            var model = SpoolModel(seed: seed)
            while model.steps < least { _ = model.next() }
            // A commit that was safe may not have been acknowledged in time; at most those of a few groups.
            while model.rows.values.sorted(by: { $0.id < $1.id }) != contents.rows, model.steps < least + 10_000 {
                _ = model.next()
            }
            #expect(model.rows.values.sorted { $0.id < $1.id } == contents.rows, "\(round): not a state of the model")
            #expect(model.receipts == contents.receipts, "\(round)")

            let numbers = try folder.numbers()
            for row in contents.rows {
                try #require(numbers.contains(row.id), "\(round): file \(row.id)")
                #expect(try folder.open(row.id).size() >= row.size)
            }
            for number in numbers where model.rows[number] == nil {
                #expect(number > model.highest, "\(round): \(number) was removed")
            }
            return model.steps
        }
    }
}

/// When a process ends itself: some time after a number of commits.
private struct KillTime {
    let commits: Int
    let microseconds: UInt32
}

/// In the child: goes on with the model from step `count`, and says after each commit that it is safe.
private func commitUntilKilled(_ path: String, _ seed: UInt64, _ count: Int, _ end: KillTime) throws {
    let acknowledgements = open(path + "/acknowledged", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    guard acknowledgements >= 0 else { throw Errno.current }
    let progress = Condition((waiting: 0, done: 0))
    _ = try Thread.start(name: "killing") {
        progress.wait(until: { $0.done >= end.commits }) { _ in }
        usleep(end.microseconds)
        kill(getpid(), SIGKILL)
    }
    let folder = try SpoolFolder(root: path, target: "target")
    let journal = try UploadJournal(in: folder, log: Log(.nowhere))
    var model = SpoolModel(seed: seed)
    for _ in 0..<count { _ = model.next() }
    while true {
        let step = model.next()
        let files = try model.prepare(step, folder)
        progress.wait(until: { $0.waiting < 20 }) { $0.waiting += 1 }
        journal.commit(step.changes, syncing: files) { error in
            guard error == nil else { abort() }
            _ = write(acknowledgements, "x", 1)
            progress.update { $0 = ($0.waiting - 1, $0.done + 1) }
        }
    }
}
