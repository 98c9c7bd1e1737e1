import FoundationEssentials
import Glibc
import Platform
import SeededRandom
import Testing

@testable import Store

/// Whatever a crash or a bad disk leaves, the journal opens, and no spooled file is lost.
struct JournalDamageTests {
    private let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    /// The files of a journal at one moment.
    private struct Image {
        var database: [UInt8]
        var log: [UInt8]
    }

    /// An image after each commit of `commits`, taken while the journal's thread stands still.
    private func images(_ commits: [[JournalChange]]) throws -> [Image] {
        try temporary.withJournal { journal, _ in
            var images: [Image] = []
            for commit in commits {
                try journal.commitAndWait(commit)
                images.append(try image())
            }
            return images
        }
    }

    private func image() throws -> Image {
        Image(
            database: try temporary.bytes("journal.sqlite"),
            log: (try? temporary.bytes("journal.sqlite-wal")) ?? [])
    }

    private func put(_ image: Image) throws {
        try temporary.write(image.database, to: "journal.sqlite")
        try temporary.write(image.log, to: "journal.sqlite-wal")
    }

    private func reopened() throws -> (rows: [JournalRow], wasDamaged: Bool) {
        try temporary.withJournal { journal, _ in (try journal.load().rows, journal.wasDamaged) }
    }

    /// A process that is killed leaves a log that ends anywhere.
    @Test func aLogThatEndsAnywhereGivesWholeCommits() throws {
        let commits = (1...6).map { id in [JournalChange.put(.plain(id)), .put(.plain(id + 100))] }
        let images = try images(commits)
        let last = try #require(images.last)
        // The lengths at which a commit is whole.
        let whole = images.map(\.log.count)
        for length in stride(from: 0, through: last.log.count, by: 508) {
            var image = last
            image.log.removeSubrange(length...)
            try put(image)
            let (rows, wasDamaged) = try reopened()
            #expect(!wasDamaged)
            #expect(rows.count == 2 * whole.count { $0 <= length }, "\(length) of \(last.log.count) bytes")
        }
        #expect(whole.last == last.log.count)
    }

    /// A process that is killed while the log goes into the database leaves a database of old and new pages; so does a
    /// power failure, with pages in any order.
    @Test func aTornCheckpointGivesEverything() throws {
        let commits = (1...30).map { id in [JournalChange.put(.plain(id, words: String(repeating: "x", count: 900)))] }
        let images = try images(commits)
        let before = try #require(images.last)
        let after = try image().database
        try #require(before.database.count < after.count, "closing has brought the log into the database")
        let pageSize = 4096
        var random = SplitMix(seed: 4)
        for _ in 0..<40 {
            var torn = before
            torn.database += [UInt8](repeating: 0, count: after.count - before.database.count)
            for page in stride(from: 0, to: after.count, by: pageSize) where Bool.random(using: &random) {
                let end = page + Int.random(in: 1...pageSize, using: &random)
                torn.database.replaceSubrange(page..<end, with: after[page..<end])
            }
            try put(torn)
            let (rows, wasDamaged) = try reopened()
            #expect(!wasDamaged)
            #expect(rows.map(\.id) == Array(1...30))
        }
    }

    @Test func whatIsNoJournalIsSetAside() throws {
        try temporary.withJournal { journal, folder in
            try folder.create(3).append([1, 2, 3])
            try journal.commitAndWait([.put(.plain(3))])
        }
        let garbage = [UInt8](repeating: 0x5a, count: 9000)
        try temporary.write(garbage, to: "journal.sqlite")
        try temporary.withJournal { journal, folder in
            #expect(journal.wasDamaged)
            #expect(try journal.load().rows.isEmpty)
            #expect(try folder.numbers() == [3])
            #expect(try folder.open(3).size() == 3)
            #expect(try temporary.bytes("journal.sqlite.damaged") == garbage)
            try journal.commitAndWait([.put(.plain(3))])
        }
        #expect(try reopened() == ([.plain(3)], false))
    }

    /// The log of a damaged database must not be taken for the new one's.
    @Test func aDamagedDatabaseTakesItsLogWithIt() throws {
        _ = try images([[.put(.plain(1))]])
        // This log has the pages of the second commit only, so it does not mend the others.
        let images = try images([[.put(.plain(2))]])
        var image = try #require(images.last)
        image.database = [UInt8](repeating: 1, count: 4096)
        try put(image)
        #expect(try reopened() == ([], true))
        #expect(try temporary.bytes("journal.sqlite.damaged").count >= 4096)
    }

    @Test func tablesOfAnotherShapeAreSetAside() throws {
        _ = try temporary.spool()
        try temporary.write([], to: "journal.sqlite")
        do {
            let database = try Database(path: temporary.file("journal.sqlite"))
            try database.run("CREATE TABLE file (id INTEGER PRIMARY KEY, other TEXT)")
        }
        #expect(try reopened() == ([], true))
    }

    @Test func aJournalOfANewerVersionIsLeftAlone() throws {
        try temporary.withJournal { journal, _ in try journal.commitAndWait([.put(.plain(1))]) }
        do {
            let database = try Database(path: temporary.file("journal.sqlite"))
            try database.run("PRAGMA user_version = 9")
        }
        #expect { try reopened() } throws: { ($0 as? StoreError)?.words.contains("newer version") == true }
        let database = try Database(path: temporary.file("journal.sqlite"))
        #expect(try database.userVersion() == 9)
    }

    @Test func aFolderInItsPlaceIsAnError() throws {
        _ = try temporary.spool()
        #expect(try mkdir(temporary.file("journal.sqlite"), 0o700) == 0)
        #expect { try reopened() } throws: { ($0 as? StoreError)?.errno == .isDirectory }
    }

    /// Rows or a new journal, but never an end, a hang or an error.
    @Test func anyDamageIsSurvived() throws {
        let commits = (1...20).map { id in [JournalChange.put(.plain(id, words: String(repeating: "y", count: 700)))] }
        let images = try images(commits)
        let image = try #require(images.last)
        let closed = Image(database: try self.image().database, log: [])
        var random = SplitMix(seed: 11)
        var damaged = 0
        for round in 0..<150 {
            var broken = round % 2 == 0 ? closed : image
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                broken.database[Int.random(in: broken.database.indices, using: &random)] = .random(
                    in: 0...255, using: &random)
                if !broken.log.isEmpty {
                    broken.log[Int.random(in: broken.log.indices, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
            }
            if round % 5 == 0 {
                broken.database.removeSubrange(Int.random(in: broken.database.indices, using: &random)...)
            }
            if round % 3 == 0, round % 2 == 0 {
                // The header, where most of what SQLite believes is said.
                broken.database[Int.random(in: 0..<min(100, broken.database.count), using: &random)] ^= 0xff
            }
            // The version is left alone: a newer one is an error of its own.
            if broken.database.count >= 64 { broken.database.replaceSubrange(60..<64, with: image.database[60..<64]) }
            try put(broken)
            try temporary.withJournal { journal, _ in
                if journal.wasDamaged { damaged += 1 }
                _ = try journal.load()
                try journal.commitAndWait([.put(.plain(1000))])
                #expect(try journal.load().rows.contains(.plain(1000)), "round \(round)")
            }
        }
        #expect(damaged > 10, "most of it was found")
    }
}
