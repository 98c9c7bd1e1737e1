import Glibc
import Platform

/// The folder on the local disk that holds what one upload target has not got yet: `files/NUMBER` and the journal.
///
/// One process at a time: it is locked as long as this object lives. Any thread; nothing here waits for the disk except
/// where it says so.
package final class SpoolFolder: Sendable {
    /// Bytes that writers leave free, so that the journal can still record what became of their files.
    package static let journalReserve: Int64 = 4 << 20

    let folder: PrivateFolder
    private let lock: FolderLock
    private let files: PrivateFolder
    /// Whether names were added to `files` that a power failure may still undo.
    private let hasNewNames = Lock(false)

    /// Makes or opens the folder of a target below `root`. Blocks up to `waitForLock` while another process has it.
    /// - Parameter target: any text that identifies the target; its hash becomes the folder's name.
    /// - Throws: `.busy` if it is still locked then; `.access` if a folder belongs to another user or is open to others.
    package init(root: String, target: String, waitForLock: Duration = .seconds(10)) throws(StoreError) {
        let name = try SHA256Digest.hexadecimal(of: target)
        folder = try PrivateFolder(name, in: PrivateFolder(path: root))
        lock = try FolderLock(in: folder, waiting: waitForLock)
        files = try PrivateFolder("files", in: folder)
    }

    /// A new, empty file. Its name survives a power failure once a commit that syncs a file has completed.
    /// - Parameter number: above all of `numbers()` and of the journal's ids, as these were at the start.
    package func create(_ number: Int64) throws(StoreError) -> SpoolFile {
        let file = try open(number, flags: O_CREAT | O_EXCL)
        hasNewNames.withLock { $0 = true }
        return file
    }

    /// The file with that number, as it is.
    package func open(_ number: Int64) throws(StoreError) -> SpoolFile { try open(number, flags: 0) }

    /// Gives a file another number, at once and as a whole. An open one goes on as it is.
    package func rename(_ number: Int64, to newNumber: Int64) throws(StoreError) {
        guard renameat(files.descriptor, String(number), files.descriptor, String(newNumber)) == 0 else {
            throw StoreError(.current, on: "\(files.name)/\(number)")
        }
        hasNewNames.withLock { $0 = true }
    }

    /// Removes the file's name; its bytes go when nobody has it open. Nothing happens if there is none.
    /// For files that the journal never knew: `JournalChange.remove` does this by itself once the row is gone.
    package func remove(_ number: Int64) {
        unlinkat(files.descriptor, String(number), 0)
    }

    /// The numbers of all files here, ascending. Blocks on the disk. Those without a row after `UploadJournal.load` were
    /// never journalled, or (`UploadJournal.wasDamaged`) their rows are lost.
    package func numbers() throws(StoreError) -> [Int64] {
        // "+1" and "01" are numbers too, but not names that `create` makes.
        try files.names().compactMap { name in Int64(name).flatMap { String($0) == name ? $0 : nil } }.sorted()
    }

    /// The room on this disk.
    package func statistics() throws(StoreError) -> SpoolStatistics {
        var status = statvfs()
        guard fstatvfs(files.descriptor, &status) == 0 else { throw StoreError(.current, on: files.name) }
        return SpoolStatistics(
            blockSize: UInt64(status.f_frsize), blocks: UInt64(status.f_blocks), freeBlocks: UInt64(status.f_bfree),
            availableBlocks: UInt64(status.f_bavail), files: UInt64(status.f_files), freeFiles: UInt64(status.f_ffree))
    }

    /// Bytes that this user can still write here; 0 if the disk does not say.
    package var freeBytes: Int64 {
        guard let statistics = try? statistics() else { return 0 }
        let (bytes, overflow) = statistics.availableBlocks.multipliedReportingOverflow(by: statistics.blockSize)
        return overflow ? .max : Int64(clamping: bytes)
    }

    /// Makes the names of new files survive a power failure. Blocks on the disk.
    func synchronizeNames() throws(StoreError) {
        // Taken back before, not after: a file created meanwhile may come too late for this fsync.
        let isNeeded = hasNewNames.withLock { value in
            defer { value = false }
            return value
        }
        guard isNeeded else { return }
        do throws(StoreError) {
            try files.synchronize()
        } catch {
            hasNewNames.withLock { $0 = true }
            throw error
        }
    }

    /// Makes the removal of files survive a power failure. Blocks on the disk.
    func synchronizeRemovals() throws(StoreError) { try files.synchronize() }

    private func open(_ number: Int64, flags: Int32) throws(StoreError) -> SpoolFile {
        let descriptor = openat(files.descriptor, String(number), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { throw StoreError(.current, on: "\(files.name)/\(number)") }
        return SpoolFile(descriptor: descriptor, number: number)
    }
}
