import Glibc
import Platform
import Testing

@testable import Store

struct UploadJournalTests {
    private static let odd = [
        JournalRow(id: 1, parent: 0, name: "日本 😀 \"'; DROP", state: 3, words: "a\0b\nc"),
        JournalRow(
            id: .max, parent: .min, name: "", isFolder: true, state: -4, size: .max, modified: .min,
            permissions: .max, version: .max, key: "k", attempts: 9, lostAnswers: 1 << 40, status: 503, words: ""),
    ]
    private static let receipt = ReceiptRow(id: 5, folder: "a/b", name: "x.json", text: "{\"a\":\"ü\"}", time: 77)

    @Test func whatIsCommittedIsLoaded() throws {
        let temporary = try TemporaryFolder()
        try temporary.withJournal { journal, _ in
            #expect(!journal.wasDamaged)
            let empty = try journal.load()
            #expect(empty.rows.isEmpty && empty.receipts.isEmpty)
            try journal.commitAndWait(Self.odd.map { .put($0) } + [.addReceipt(Self.receipt)])
            let contents = try journal.load()
            #expect(contents.rows == Self.odd)
            #expect(contents.receipts == [Self.receipt])
        }
        try temporary.withJournal { journal, _ in
            let contents = try journal.load()
            #expect(contents.rows == Self.odd)
            #expect(contents.receipts == [Self.receipt])
            try journal.commitAndWait([.put(.plain(1)), .remove(.max), .removeReceipt(5), .remove(99)])
        }
        try temporary.withJournal { journal, _ in
            let contents = try journal.load()
            #expect(contents.rows == [.plain(1)])
            #expect(contents.receipts.isEmpty)
        }
    }

    @Test func loadSeesWhatWasCommittedBefore() throws {
        let temporary = try TemporaryFolder()
        try temporary.withJournal { journal, _ throws in
            for id in 1...50 as ClosedRange<Int64> {
                journal.commit([.put(.plain(id))]) { _ in }
                #expect(try journal.load().rows.count == id)
            }
        }
    }

    @Test func onlyTheLatestReceiptsAreKept() throws {
        let temporary = try TemporaryFolder()
        try temporary.withJournal { journal, _ in
            let receipts = (1...1005).map { ReceiptRow(id: $0, folder: "", name: "\($0)", text: "", time: 0) }
            try journal.commitAndWait(receipts.shuffled().map { .addReceipt($0) })
            #expect(try journal.load().receipts == Array(receipts.suffix(UploadJournal.receiptLimit)))
        }
    }

    @Test func completionsComeInOrderFromEveryThread() throws {
        let temporary = try TemporaryFolder()
        try temporary.withJournal { journal, _ in
            let done = Condition<[Int64: [Int64]]>([:])
            let threads = try (0..<8).map { number in
                try Thread.start(name: "writer") {
                    for step in 0..<100 as Range<Int64> {
                        let id = Int64(number) * 1000 + step
                        journal.commit([.put(.plain(id))]) { error in
                            if error == nil { done.update { $0[Int64(number), default: []].append(step) } }
                        }
                    }
                }
            }
            for thread in threads { thread.join() }
            let steps = done.wait(until: { $0.values.reduce(0) { $0 + $1.count } == 800 }) { $0 }
            for number in 0..<8 as Range<Int64> { #expect(steps[number] == Array(0..<100)) }
            #expect(try journal.load().rows.count == 800)
        }
    }

    @Test func oneThatFailsDoesNotTakeTheOthersWithIt() throws {
        let temporary = try TemporaryFolder()
        try temporary.withJournal { journal, folder in
            let bad = SpoolFile(descriptor: open("/dev/full", O_RDWR | O_CLOEXEC), number: 3)
            let good = try folder.create(4)
            let results = Condition<[Int64: Errno?]>([:])
            let record = { @Sendable (id: Int64, error: StoreError?) in results.update { $0[id] = .some(error?.errno) }
            }
            let tooLong = String(repeating: "x", count: Int(Database.maximumValueSize) + 1)
            journal.withThreadHeld {
                journal.commit([.put(.plain(1))]) { record(1, $0) }
                journal.commit([.put(.plain(5)), .put(.plain(2, words: tooLong))]) { record(2, $0) }
                journal.commit([.put(.plain(3))], syncing: [good, bad]) { record(3, $0) }
                journal.commit([.put(.plain(4))], syncing: [good]) { record(4, $0) }
            }
            let errors = results.wait(until: { $0.count == 4 }) { $0 }
            #expect(errors[1] == .some(nil))
            #expect(errors[2] == .tooBig)
            #expect(errors[3] == .invalid)
            #expect(errors[4] == .some(nil))
            #expect(try journal.load().rows == [.plain(1), .plain(4)])
        }
    }

    @Test func closeFinishesWhatIsQueued() throws {
        let temporary = try TemporaryFolder()
        let completed = Condition(0)
        let folder = try temporary.spool()
        let journal = try UploadJournal(in: folder, log: Log(.nowhere))
        for id in 1...100 as ClosedRange<Int64> {
            journal.commit([.put(.plain(id))]) { error in if error == nil { completed.update { $0 += 1 } } }
        }
        journal.close()
        #expect(completed.update { $0 } == 100)
        #expect { try journal.commitAndWait([]) } throws: { ($0 as? StoreError)?.errno == .badFileDescriptor }
        #expect(throws: StoreError.self) { try journal.load() }
        #expect(try UploadJournal.contents(in: folder).rows.count == 100)
    }

    @Test func aRemovedRowTakesItsFileWithIt() throws {
        let temporary = try TemporaryFolder()
        try temporary.withJournal { journal, folder in
            // More than are noted before they are forgotten.
            let numbers = Array(1...600 as ClosedRange<Int64>)
            for number in numbers { _ = try folder.create(number) }
            try journal.commitAndWait(numbers.map { .put(.plain($0)) })
            for number in numbers.dropLast() { journal.commit([.remove(number)]) { _ in } }
            #expect(try journal.load().rows == [.plain(600)])
            #expect(try folder.numbers() == [600])
        }
        let tables = try JournalTables(path: temporary.file("journal.sqlite"))
        #expect(try tables.removedFiles() == [])
    }

    @Test func aRemovalThatACrashInterruptedIsFinished() throws {
        let temporary = try TemporaryFolder()
        try temporary.withJournal { journal, folder in
            for number in 1...4 as ClosedRange<Int64> { _ = try folder.create(number) }
            try journal.commitAndWait([.put(.plain(1)), .put(.plain(2)), .put(.plain(4))])
        }
        do {
            // The row of 1 is gone, its file not yet. 4 came back before the end.
            let tables = try JournalTables(path: temporary.file("journal.sqlite"))
            try tables.apply([.remove(1), .remove(4), .put(.plain(4))])
        }
        try temporary.withJournal { journal, folder throws in
            #expect(try journal.load().rows == [.plain(2), .plain(4)])
            #expect(try folder.numbers() == [2, 3, 4], "3 was never journalled: its fate is the caller's")
        }
    }

    @Test func theLogHasItsRoomFromTheStart() throws {
        let temporary = try TemporaryFolder()
        try temporary.withJournal { _, _ throws in
            var status = stat()
            #expect(try stat(temporary.file("journal.sqlite-wal"), &status) == 0)
            #expect(Int64(status.st_blocks) * 512 >= JournalWriter.logReserve)
        }
    }

    @Test func aFullDiskFailsTheCommitOnly() throws {
        let temporary = try TemporaryFolder()
        _ = try temporary.spool()
        try temporary.write([], to: "journal.sqlite")
        let tables = try JournalTables(path: temporary.file("journal.sqlite"))
        try tables.apply((1...40).map { .put(.plain($0, words: String(repeating: "w", count: 1000))) })
        let before = try tables.rows()
        // SQLite answers a file that may not grow as it does a full disk.
        try tables.database.run("PRAGMA max_page_count = 1")
        #expect {
            try tables.apply((1...200).map { .put(.plain($0 + 1000, words: String(repeating: "w", count: 1000))) })
        } throws: { ($0 as? StoreError)?.isDiskFull == true }
        #expect(try tables.rows() == before)
        try tables.apply([.remove(1)])
        #expect(try tables.rows() == Array(before.dropFirst()))
        try tables.database.run("PRAGMA max_page_count = 100000")
        try tables.apply([.put(.plain(1001))])
        #expect(try tables.rows().count == 40)
    }
}

extension UploadJournal {
    /// What the journal of the folder holds.
    static func contents(in folder: SpoolFolder) throws -> (rows: [JournalRow], receipts: [ReceiptRow]) {
        let journal = try UploadJournal(in: folder, log: Log(.nowhere))
        defer { journal.close() }
        return try journal.load()
    }
}
