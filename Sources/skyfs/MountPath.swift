import Glibc
import Platform

/// The path of a mount point as the kernel's table has it, found without asking what is mounted there: that may be dead or
/// hang.
enum MountPath {
    /// The kernel's limit (`MAXSYMLINKS`).
    private static let maximumLinks = 40

    /// Absolute and without symbolic links. The last component need not exist.
    static func resolve(_ given: String) throws(Errno) -> String {
        var path = given
        for _ in 0...maximumLinks {
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            let slash = path.lastIndex(of: "/")
            let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
            if name.isEmpty || name == "." || name == ".." { return try real(path) }
            let parent = try real(slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
            let child = (parent == "/" ? "" : parent) + "/" + name
            guard let target = link(child) else { return child }
            path = target.hasPrefix("/") ? target : (parent == "/" ? "" : parent) + "/" + target
        }
        throw .loop
    }

    /// Whether a folder, which need not exist yet, is a mount point or lies below it. What the mount itself uses must not.
    static func isInside(_ folder: String, mountPoint: String) -> Bool {
        var (existing, rest) = (folder[...], "")
        while let slash = existing.lastIndex(of: "/") {
            if let path = try? real(slash == existing.endIndex ? "/" : String(existing)) {
                return (path + rest + "/").hasPrefix(mountPoint + "/")
            }
            rest = existing[slash...] + rest
            existing = existing[..<slash]
        }
        return false
    }

    private static func real(_ path: String) throws(Errno) -> String {
        guard let resolved = realpath(path, nil) else { throw .current }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// readlink(2) of a mount's root is answered by the kernel: a directory is no link.
    private static func link(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
