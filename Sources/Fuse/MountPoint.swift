import CFuse
import Glibc
import Platform

/// A directory that can be mounted on, by its absolute path without symbolic links (the program may change directory).
struct MountPoint {
    let path: String

    /// Examines `path` and what a mount needs, so that the usual reasons for failure have their own error.
    init(_ path: String, options: MountOptions) throws(MountError) {
        var status = stat()
        if stat(path, &status) != 0 {
            switch Errno.current.rawValue {
            case ENOENT: throw .mountPointMissing(path)
            case ENOTDIR: throw .notADirectory(path)
            case EACCES: throw .notPermitted(path)
            case ENOTCONN, ECONNABORTED: throw .staleMount(path)
            default: throw .unreachable(path, .current)
            }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .notADirectory(path) }
        guard let resolved = realpath(path, nil) else { throw .unreachable(path, .current) }
        defer { free(resolved) }
        self.path = String(cString: resolved)
        if MountTable.current().mount(at: self.path)?.type == "fuse.\(options.subtype)" { throw .alreadyMounted(path) }

        let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        if device < 0 {
            switch Errno.current.rawValue {
            case ENOENT, ENODEV, ENXIO: throw .noDevice
            default: throw .notPermitted("/dev/fuse")
            }
        }
        close(device)
        if geteuid() != 0 {
            // fusermount3's rule; it tells only standard error.
            if access(path, W_OK) != 0 { throw .notPermitted(path) }
            if options.allowOther, !Self.letsUsersAllowOther() { throw .allowOtherNotPermitted }
            if !Self.hasFusermount() { throw .fusermountMissing }
        }
    }

    /// Takes whatever is mounted at `path` out of sight, also when it is in use.
    static func detach(_ path: String) {
        if umount2(path, Int32(MNT_DETACH) | Int32(UMOUNT_NOFOLLOW)) == 0 { return }
        // Other users than root need the help of the set-user-id program.
        let words = ["fusermount3", "-u", "-z", "-q", "--", path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        guard posix_spawnp(&child, "fusermount3", nil, nil, &arguments, environ) == 0 else { return }
        while waitpid(child, nil, 0) < 0, errno == EINTR {}
    }

    private static func letsUsersAllowOther() -> Bool {
        guard let file = fopen("/etc/fuse.conf", "re") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.split(whereSeparator: \.isWhitespace).first == "user_allow_other" { return true }
        }
        return false
    }

    /// libfuse looks in its own directory first, then along PATH.
    private static func hasFusermount() -> Bool {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return (["/usr/bin"] + path.split(separator: ":").map(String.init)).contains {
            access("\($0)/fusermount3", X_OK) == 0
        }
    }
}
