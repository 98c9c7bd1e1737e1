import Glibc
import Platform

@testable import Store

extension UploadJournal {
    /// Commits and waits for the end.
    func commitAndWait(_ changes: [JournalChange], syncing files: [SpoolFile] = []) throws {
        let result = Condition<StoreError??>(nil)
        commit(changes, syncing: files) { error in result.update { $0 = .some(error) } }
        if let error = result.wait(until: { $0 != nil }, { $0 }), let error { throw error }
    }

    /// Runs `body` while the journal's thread stands still, so that all commits made by it go into one group.
    func withThreadHeld(_ body: () -> Void) {
        let isHeld = Condition(false)
        let isReleased = Condition(false)
        commit([]) { _ in
            isHeld.update { $0 = true }
            isReleased.wait(until: { $0 }) { _ in }
        }
        isHeld.wait(until: { $0 }) { _ in }
        body()
        isReleased.update { $0 = true }
    }
}

extension JournalRow {
    /// A row of which only the id matters.
    static func plain(_ id: Int64, words: String = "") -> JournalRow {
        JournalRow(id: id, parent: 0, name: "file \(id)", state: 1, size: id, words: words)
    }
}

extension SpoolFile {
    /// Writes at the file's end.
    func append(_ bytes: [UInt8]) throws {
        let end = try size()
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(end)) }
        guard count == bytes.count else { throw Errno.current }
    }
}
