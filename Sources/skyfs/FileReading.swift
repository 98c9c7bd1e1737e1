import Glibc

/// Reads files with plain system calls, as a user of a mount would.
enum FileReading {
    /// nil with `errno` set if it cannot be read.
    static func all(_ path: String) -> [UInt8]? { part(path, offset: 0, count: 16 << 20) }

    /// At most `count` bytes from `offset`.
    static func part(_ path: String, offset: Int, count: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count < count {
            let wanted = min(chunk.count, count - bytes.count)
            let read = pread(descriptor, &chunk, wanted, off_t(offset + bytes.count))
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { return nil }
            if read == 0 { break }
            bytes += chunk[..<read]
        }
        return bytes
    }
}
