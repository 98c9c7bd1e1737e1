import FoundationEssentials
import Glibc
import Platform

@testable import Store

/// An empty directory that goes away with this object, and all that was put into it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/skyfs-store-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno.current }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The spool folder that all tests use. The lock of an earlier user may be held a moment longer than he is there: by
    /// a process that another test is just starting, until it becomes another program.
    func spool(waitForLock: Duration = .seconds(60)) throws -> SpoolFolder {
        try SpoolFolder(root: path, target: "target", waitForLock: waitForLock)
    }

    /// Runs `body` with a spool folder that lives as long.
    static func withSpool<Result>(_ body: (TemporaryFolder, SpoolFolder) throws -> Result) throws -> Result {
        let temporary = try TemporaryFolder()
        return try withExtendedLifetime(temporary) { try body(temporary, temporary.spool()) }
    }

    /// Opens the journal of `spool`, runs `body` and closes the journal.
    func withJournal<Result>(_ body: (UploadJournal, SpoolFolder) throws -> Result) throws -> Result {
        let folder = try spool()
        let journal = try UploadJournal(in: folder, log: Log(.nowhere))
        defer {
            journal.close()
            withExtendedLifetime(self) {}
        }
        return try body(journal, folder)
    }

    /// The path of a file in the spool folder.
    func file(_ name: String) throws -> String {
        try path + "/" + SHA256Digest.hexadecimal(of: "target") + "/" + name
    }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file(name)))) }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(filePath: file(name))) }

    func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Errno.current }
        return status.st_mode & 0o7777
    }
}
