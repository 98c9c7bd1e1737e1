import Fuse

/// What is mounted where, as far as commands ask.
enum MountList {
    /// The type of the topmost mount at exactly this path.
    static func type(at path: String) -> String? { MountTable.current().mount(at: path)?.type }

    /// Without "//", "." and a "/" at the end. Does not touch the file system, which may hang.
    static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
