import Glibc
import Platform

/// The folder on the local disk that holds what one upload target has not got yet: `files/NUMBER` and the journal.
///
/// One process at a time: it is locked as long as this object lives. Any thread; nothing here waits for the disk except
/// where it says so.
package final class SpoolFolder: Sendable {
    /// Bytes that writers leave free, so that the journal can still record what became of their files.
    package static let journalReserve: Int64 = 4 << 20
    /// How often a lock that another process holds is tried again.
    private static let lockInterval: Duration = .milliseconds(50)

    let folder: PrivateFolder
    private let files: PrivateFolder
    private let lock: Int32
    /// Whether names were added to `files` that a power failure may still undo.
    private let hasNewNames = Lock(false)

    /// Makes or opens the folder of `target` (any text that identifies it; its hash is the folder's name) below `root`.
    /// Blocks up to `waitForLock` while another process has it.
    package init(root: String, target: String, waitForLock: Duration = .seconds(10)) throws(StoreError) {
        let hash = try SHA256Digest.hexadecimal(of: target)
        folder = try PrivateFolder(hash, in: PrivateFolder(path: root))
        lock = try Self.takeLock(in: folder, waiting: waitForLock)
        do throws(StoreError) {
            files = try PrivateFolder("files", in: folder)
        } catch {
            close(lock)
            throw error
        }
    }

    deinit { close(lock) }

    /// A new, empty file. Its name survives a power failure once a commit that syncs a file has completed.
    /// - Parameter number: one that was never used in this folder.
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
    /// `JournalChange.remove` does this by itself once the row is gone.
    package func remove(_ number: Int64) {
        unlinkat(files.descriptor, String(number), 0)
    }

    /// The numbers of all files here, ascending. Blocks on the disk.
    package func numbers() throws(StoreError) -> [Int64] {
        // A descriptor of its own: the position of a shared one would be left at the end.
        let descriptor = openat(files.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(.current, on: files.name) }
        guard let stream = fdopendir(descriptor) else {
            let errno = Errno.current
            close(descriptor)
            throw StoreError(errno, on: files.name)
        }
        defer { closedir(stream) }
        var numbers: [Int64] = []
        while true {
            Glibc.errno = 0
            guard let entry = readdir(stream) else {
                guard Glibc.errno == 0 else { throw StoreError(.current, on: files.name) }
                break
            }
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            // "+1" and "01" are numbers too, but not names that `create` makes.
            if let number = Int64(name), String(number) == name { numbers.append(number) }
        }
        return numbers.sorted()
    }

    /// The room on this disk.
    package func statistics() throws(StoreError) -> SpoolStatistics {
        var status = statvfs()
        guard fstatvfs(files.descriptor, &status) == 0 else { throw StoreError(.current, on: files.name) }
        return SpoolStatistics(
            blockSize: Int(status.f_frsize), blocks: UInt64(status.f_blocks), freeBlocks: UInt64(status.f_bfree),
            availableBlocks: UInt64(status.f_bavail), files: UInt64(status.f_files), freeFiles: UInt64(status.f_ffree))
    }

    /// Bytes that this user can still write here; 0 if the disk does not say.
    package var freeBytes: Int64 {
        guard let statistics = try? statistics() else { return 0 }
        let (bytes, overflow) = statistics.availableBlocks.multipliedReportingOverflow(by: UInt64(statistics.blockSize))
        return overflow ? .max : Int64(clamping: bytes)
    }

    /// Makes the names of new files survive a power failure. Blocks on the disk.
    func synchronizeNames() throws(StoreError) {
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

    /// Makes the journal's file where it is missing, for this user only.
    /// - Returns: its path.
    func prepareJournal() throws(StoreError) -> String {
        let name = "journal.sqlite"
        let descriptor = openat(folder.descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(.current, on: "\(folder.name)/\(name)") }
        close(descriptor)
        return try folder.path + "/" + name
    }

    private func open(_ number: Int64, flags: Int32) throws(StoreError) -> SpoolFile {
        let descriptor = openat(files.descriptor, String(number), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { throw StoreError(.current, on: "\(files.name)/\(number)") }
        return SpoolFile(descriptor: descriptor, number: number)
    }

    /// `flock`, because a lock of `fcntl` would be lost with any other descriptor of the file.
    private static func takeLock(in folder: PrivateFolder, waiting: Duration) throws(StoreError) -> Int32 {
        let name = folder.name + "/lock"
        let lock = openat(folder.descriptor, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw StoreError(.current, on: name) }
        let deadline = Instant.now() + waiting
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let errno = Errno.current
            if errno == .interrupted { continue }
            guard errno == .again, Instant.now() < deadline else {
                close(lock)
                guard errno == .again else { throw StoreError(errno, on: name) }
                throw StoreError("\(folder.name): in use by another mount of the same target", errno: .busy)
            }
            usleep(UInt32(Self.lockInterval.wholeNanoseconds / 1000))
        }
        return lock
    }
}
