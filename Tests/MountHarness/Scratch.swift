import Glibc
package import Platform

/// A temporary directory that is removed with all that is in it, but never with anything mounted below it.
package struct Scratch: Sendable {
    /// Readable by all, for servers that give up root.
    package let path: String

    package init() throws(Errno) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/skyfs-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno.current }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        chmod(path, 0o755)
    }

    /// Makes a directory in it and gives its path.
    package func directory(_ name: String) throws(Errno) -> String {
        guard mkdir("\(path)/\(name)", 0o755) == 0 else { throw Errno.current }
        return "\(path)/\(name)"
    }

    /// Writes a file in it and gives its path.
    @discardableResult
    package func file(_ name: String, _ bytes: some Collection<UInt8>, mode: UInt32 = 0o644) throws(Errno) -> String {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Errno.current }
        defer { close(descriptor) }
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Errno.current }
            rest = rest.dropFirst(count)
        }
        return "\(path)/\(name)"
    }

    @discardableResult
    package func file(_ name: String, _ text: String, mode: UInt32 = 0o644) throws(Errno) -> String {
        try file(name, text.utf8, mode: mode)
    }

    package func remove() async {
        // In a child: should a dead mount be left after all, `rm` hangs or fails, not the tests.
        _ = try? await Command.run(["rm", "-rf", "--one-file-system", path], limit: .seconds(20))
    }
}

extension Scratch {
    /// The text of a file in it, empty if there is none.
    package func text(_ name: String) -> String {
        guard let file = fopen("\(path)/\(name)", "re") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while true {
            let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = fread(buffer.baseAddress, 1, buffer.count, file)
            }
            if piece.isEmpty { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece
        }
    }
}
