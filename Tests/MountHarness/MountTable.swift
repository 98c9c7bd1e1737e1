import Glibc

/// The kernel's list of mounts. Reading it never touches a file system, so it cannot hang.
package enum MountTable {
    package struct Entry: Sendable {
        package let source: String
        package let path: String
        package let type: String
        package let options: String
    }

    package static var entries: [Entry] {
        text("/proc/self/mounts").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ").map { unescaped(String($0)) }
            guard fields.count >= 4 else { return nil }
            return Entry(source: fields[0], path: fields[1], type: fields[2], options: fields[3])
        }
    }

    package static func entries(at path: String) -> [Entry] { entries.filter { $0.path == path } }
    package static func isMounted(_ path: String) -> Bool { !entries(at: path).isEmpty }

    /// The table as the kernel gives it.
    package static var text: String { text("/proc/self/mounts") }

    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
            if piece.isEmpty { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece
        }
    }

    /// Blank, tab, line feed and backslash stand in the table as a backslash and three octal digits.
    private static func unescaped(_ field: String) -> String {
        var result: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                result.append(code)
                rest = rest.dropFirst(3)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
