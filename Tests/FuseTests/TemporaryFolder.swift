import Glibc
import Platform

/// An empty directory that goes away with this object.
final class TemporaryFolder: Sendable {
    let path: String

    /// For mkdtemp and mkstemp.
    static var template: [CChar] {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        return Array("\(parent)/skyfs-fuse-XXXXXX".utf8CString)
    }

    init() throws {
        var template = Self.template
        guard mkdtemp(&template) != nil else { throw Errno.current }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { rmdir(path) }
}
