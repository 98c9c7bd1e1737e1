import Glibc

/// What the kernel has mounted, as this process sees it.
package struct MountTable {
    package struct Mount: Equatable {
        /// "major:minor", as in `/sys/class/bdi`.
        package var device: String
        package var mountPoint: String
        /// For example "fuse.skyfs".
        package var type: String
    }

    let mounts: [Mount]

    /// - Parameter text: the contents of `/proc/self/mountinfo` (proc(5)); lines it does not understand are left out.
    init(_ text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            // "36 35 98:0 /root /mount/point options [optional fields] - type source options"
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            guard fields.count > 6, let dash = fields.dropFirst(6).firstIndex(of: "-"), dash + 1 < fields.count else {
                return nil
            }
            return Mount(
                device: String(fields[2]), mountPoint: Self.unescaped(fields[4]), type: String(fields[dash + 1]))
        }
    }

    /// The table of this moment; empty where `/proc` is not mounted.
    package static func current() -> MountTable {
        guard let file = fopen("/proc/self/mountinfo", "re") else { return MountTable("") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return MountTable(String(decoding: bytes, as: UTF8.self))
    }

    /// The topmost mount at exactly this path, which must have no symbolic links.
    package func mount(at path: String) -> Mount? { mounts.last { $0.mountPoint == path } }

    /// Blank, tab, newline and backslash stand as three octal digits.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
