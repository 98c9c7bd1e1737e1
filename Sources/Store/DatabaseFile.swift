import Glibc
import Platform

/// Where a database lies, and what becomes of a damaged one.
struct DatabaseFile {
    let folder: PrivateFolder
    /// Its name in the folder.
    let name: String

    /// The files that SQLite puts beside a database, in the order in which they must go: without its log a damaged
    /// database is still damaged, but a log beside a new database could be taken for its own.
    private static let companions = ["-wal", "-journal", "-shm", ""]

    /// Makes the file where it is missing, for this user only, and opens it with `open`, which is given its path.
    /// A damaged one is renamed to NAME.damaged (instead of an earlier one), and a new one begun.
    func open<Tables>(
        _ log: Log, _ open: (String) throws(StoreError) -> Tables
    ) throws(StoreError) -> (tables: Tables, wasDamaged: Bool) {
        let path = try prepare()
        do throws(StoreError) {
            return (try open(path), false)
        } catch {
            guard error.isDamage else { throw error }
            log.error("\(error); it is kept as \(name).damaged, and a new one begun")
        }
        try setAside()
        _ = try prepare()
        return (try open(path), true)
    }

    /// Gives the write-ahead log its room on the disk, so that commits still succeed when others have filled it. SQLite
    /// writes over the same log again and again and removes it only with the last connection.
    /// Where the file system cannot do that, or has no room, nothing happens.
    func reserveLog(bytes: Int64) {
        let descriptor = openat(folder.descriptor, name + "-wal", O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        try? DiskSpace.reserve(descriptor, bytes: bytes)
        close(descriptor)
    }

    private func prepare() throws(StoreError) -> String {
        let descriptor = openat(folder.descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(.current, on: "\(folder.name)/\(name)") }
        close(descriptor)
        try folder.synchronize()
        return try folder.path + "/" + name
    }

    private func setAside() throws(StoreError) {
        for companion in Self.companions {
            let damaged = name + ".damaged" + companion
            unlinkat(folder.descriptor, damaged, 0)
            guard renameat(folder.descriptor, name + companion, folder.descriptor, damaged) != 0 else { continue }
            let errno = Errno.current
            if errno != .noEntry { throw StoreError(errno, on: "\(folder.name)/\(name)\(companion)") }
        }
        try folder.synchronize()
    }
}
