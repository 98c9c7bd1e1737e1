import Fuse
import Glibc

/// What is mounted where, as far as commands ask.
enum MountList {
    /// The type of the topmost mount at exactly this path.
    static func type(at path: String) -> String? { MountTable.current().mount(at: path)?.type }

    /// The path from the root without "//", ".", ".." and a "/" at the end. Does not touch the file system, which may hang.
    static func absolute(_ given: String) -> String {
        guard !given.hasPrefix("/"), let folder = getcwd(nil, 0) else { return normalized(given) }
        defer { free(folder) }
        return normalized("\(String(cString: folder))/\(given)")
    }

    private static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
