import Glibc
import HTTP
import LoopbackServer
import Platform

/// A file without a name, of which uploads are made.
final class TemporaryContent: Sendable {
    let descriptor: Int32

    init() throws(Errno) {
        var template = Array("/tmp/skyfs-http-test-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .current }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
    }

    deinit { close(descriptor) }

    convenience init(_ bytes: [UInt8]) throws(Errno) {
        try self.init()
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw .current }
            rest = rest.dropFirst(count)
        }
    }

    func truncate(to size: Int64) throws(Errno) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .current }
    }

    var size: Int64 {
        var attributes = stat()
        return fstat(descriptor, &attributes) == 0 ? Int64(attributes.st_size) : -1
    }

    /// - Parameter size: what the form promises; nil for the file's own.
    func form(
        to url: String, name: String = "a.txt", type: String = "text/plain", size: Int64? = nil
    ) throws -> FormUpload {
        FormUpload(
            url: try HTTPURL.parse(url).url, fileField: "file", fileName: name, mediaType: type,
            content: try FileContent(duplicating: descriptor, size: size ?? self.size))
    }
}

/// Memory of this process that is in use, in bytes.
func residentBytes() -> Int64 {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = read(descriptor, &text, text.count)
    let fields = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
    guard fields.count > 1, let pages = Int64(String(decoding: fields[1], as: UTF8.self)) else { return -1 }
    return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
}
