import FoundationEssentials
import Glibc
import Platform
import Store
import Testing
import Uploads

@testable import Filesystem

/// What a crash can leave in spool and journal, and what the next mount makes of it.
final class DropRecoveryTests {
    private let root: String
    private let spool: SpoolFolder
    private let journal: UploadJournal

    init() throws {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/skyfs-drop-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno.current }
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        spool = try SpoolFolder(root: root, target: "target", waitForLock: .seconds(60))
        journal = try UploadJournal(in: spool, log: Log(.nowhere))
    }

    deinit {
        journal.close()
        try? FileManager.default.removeItem(atPath: root)
    }

    private func recover() throws -> DropFolder.Recovered {
        try DropFolder.recover(
            spool, journal, FilesystemOptions(user: 0, group: 0, version: "test"), now: 0)
    }

    private func file(_ number: Int64, size: Int64) throws {
        try spool.create(number).truncate(to: size)
    }

    private func put(_ rows: JournalRow...) throws {
        let done = Condition<StoreError??>(nil)
        journal.commit(rows.map { .put($0) }) { error in done.update { $0 = .some(error) } }
        if let error = done.wait(until: { $0 != nil }, { $0 }) ?? nil { throw error }
    }

    private static func row(
        _ id: Int64, _ name: String, _ stage: UploadRecord.Stage = .complete, size: Int64 = 5, parent: Int64 = 1,
        key: String = "key"
    ) -> JournalRow {
        JournalRow(id: id, parent: parent, name: name, state: stage.rawValue, size: size, version: 3, key: key)
    }

    /// Killed while a file that waited was overwritten: the whole version keeps its name, and they are two from now on.
    @Test func wholeAndHalfVersionOfOneFileAreTwoFiles() throws {
        try file(20, size: 5)
        try file(21, size: 2)
        try put(Self.row(20, "a"), Self.row(21, "a", .incomplete, size: 0))
        let recovered = try recover()
        let tree = recovered.state.tree
        #expect(tree.child("a", of: DropTree.root) == 20)
        #expect(tree[20]?.file?.isSafe == true && tree[20]?.file?.size == 5)
        #expect(tree[21]?.file?.isSafe == false && tree[21]?.file?.size == 2)
        #expect(recovered.records.map(\.stage) == [.complete, .incomplete])
        #expect(Set(recovered.records.map(\.keyBase)).count == 2 && recovered.records[0].keyBase == "key")
        #expect(recovered.strays.isEmpty && recovered.staleRows.isEmpty)
    }

    /// Killed between the spool file's new number and its row.
    @Test func renumberedFileIsAStrayAndItsOldRowStale() throws {
        try file(21, size: 7)
        try put(Self.row(20, "a"))
        let recovered = try recover()
        #expect(recovered.records.isEmpty && recovered.strays == [21] && recovered.staleRows == [20])
        var state = recovered.state
        #expect(state.takeNumber() == 22)
    }

    /// Bytes that are not those of the row are never sent.
    @Test(arguments: [4, 6])
    func fileOfAnotherSizeThanItsRowIsIncomplete(size: Int64) throws {
        try file(20, size: size)
        try put(Self.row(20, "a"))
        let recovered = try recover()
        #expect(recovered.records.map(\.stage) == [.incomplete])
        #expect(recovered.state.tree[20]?.file?.size == size)
    }

    @Test func foldersComeBackWhateverTheirRowsSay() throws {
        func folder(_ id: Int64, _ name: String, in parent: Int64) -> JournalRow {
            JournalRow(id: id, parent: parent, name: name, isFolder: true, state: 100)
        }
        try file(30, size: 5)
        try file(31, size: 5)
        // One in the other in a circle, one in a file, one that is lost.
        try put(
            folder(20, "a", in: 21), folder(21, "b", in: 20), folder(22, "c", in: 30), folder(23, "d", in: 1),
            Self.row(30, "x", parent: 23, key: "1"), Self.row(31, "x", parent: 77, key: "2"))
        let tree = try recover().state.tree
        for number: Int64 in [20, 21, 22, 23, 30, 31] { #expect(tree.zone(of: number) == .drop, "\(number)") }
        #expect(tree.path(of: 30) == "d/x" && tree.path(of: 31) == "x")
    }

    @Test func impossibleNumbersAndNamesDoNoHarm() throws {
        for number: Int64 in [3, 20, 21, .max] { try file(number, size: 5) }
        try put(
            Self.row(3, "reserved"), Self.row(20, "a/b"), Self.row(21, "..", key: "2"),
            Self.row(.max, "last", key: "3"))
        let recovered = try recover()
        #expect(recovered.records.map(\.id.rawValue) == [20, 21])
        let names = recovered.state.tree.children(of: DropTree.root).keys.map(\.description).sorted()
        #expect(names == ["failed", "recovered-20", "recovered-21", "sent"])
        var state = recovered.state
        #expect(state.takeNumber() == 22)
    }

    /// A receipt may have the name of a folder of others.
    @Test func receiptsAndTheirFoldersDoNotMeet() throws {
        let done = Condition(false)
        journal.commit([
            .addReceipt(ReceiptRow(id: 20, folder: "", name: "x.json", text: "{}", time: 1)),
            .addReceipt(ReceiptRow(id: 21, folder: "x.json/y", name: "f.json", text: "{}", time: 2)),
        ]) { _ in done.update { $0 = true } }
        done.wait(until: { $0 }) { _ in }
        let state = try recover().state
        #expect(state.receiptOrder == [20, 21])
        #expect(state.tree.child("x.json", of: DropTree.sent) == 20)
        #expect(state.tree.zone(of: 21) == .sent)
    }
}
