/// How to mount.
package struct MountOptions: Sendable {
    /// The largest READ in bytes. The mount option and INIT must say the same number, else libfuse refuses to start;
    /// 1 MiB is the most that libfuse 3.14 asks the kernel for (256 pages).
    package static let maximumRead = 1 << 20

    /// What `/proc/mounts` shows as the source. Any text.
    package var fsname: String
    /// The type shown is "fuse." and this.
    package var subtype = "skyfs"
    package var readOnly = true
    /// Lets other users in. Needs root or `user_allow_other` in `/etc/fuse.conf`.
    package var allowOther = false
    /// Other `-o` words for libfuse, each one "name" or "name=value".
    package var extra: [String] = []
    /// The most FUSE workers. Handlers never wait, so a few are enough; libfuse starts them when needed.
    package var maxThreads = 4

    package init(fsname: String) { self.fsname = fsname }

    /// libfuse's argument vector. Ours come after `extra`: the last of two equal options wins.
    var arguments: [String] {
        var words = extra
        words.append(readOnly ? "ro" : "rw")
        if allowOther { words.append("allow_other") }
        words += [
            // The kernel checks modes and owners, so no handler has to.
            "default_permissions", "max_read=\(Self.maximumRead)", "subtype=\(subtype)", "fsname=\(fsname)",
        ]
        return ["skyfs", "-o", words.map(Self.escaped).joined(separator: ",")]
    }

    /// One word in libfuse's `-o` syntax: a comma would start the next option, a zero byte would end them all.
    private static func escaped(_ word: String) -> String {
        var result = ""
        for scalar in word.unicodeScalars where scalar != "\0" {
            if scalar == "," || scalar == "\\" { result.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
