import Glibc
import Platform

/// An open folder whose content nobody but this user can have made.
///
/// It is opened without following a link at its end, and its owner and mode are checked on the open descriptor; what is
/// reached through that descriptor cannot be exchanged by somebody else afterwards.
final class PrivateFolder: Sendable {
    /// Open as long as this object lives.
    let descriptor: Int32
    /// As it was asked for; for messages.
    let name: String

    /// Opens the folder at `path`; it and missing folders above it are made with mode 0700. Others may look into it,
    /// but not change it.
    convenience init(path: String) throws(StoreError) {
        guard !path.isEmpty else { throw StoreError(.noEntry, on: "a folder without a name") }
        var made = path.hasPrefix("/") ? "/" : "."
        for part in path.split(separator: "/") {
            let parent = made
            made += "/" + part
            if mkdir(made, 0o700) == 0 {
                try Self.synchronize(parent)
            } else {
                // A folder that is there may also answer that it could not be made, for example by EACCES.
                let errno = Errno.current
                guard errno == .exists || access(made, F_OK) == 0 else { throw StoreError(errno, on: made) }
            }
        }
        try self.init(opening: made, at: AT_FDCWD, name: path, forbidding: 0o022)
    }

    /// Opens a folder inside `parent`, made with mode 0700 where it is missing. Others may not even look into it.
    convenience init(_ name: String, in parent: PrivateFolder) throws(StoreError) {
        let path = parent.name + "/" + name
        if mkdirat(parent.descriptor, name, 0o700) == 0 {
            try parent.synchronize()
        } else if Errno.current != .exists {
            throw StoreError(.current, on: path)
        }
        try self.init(opening: name, at: parent.descriptor, name: path, forbidding: 0o077)
    }

    private init(opening path: String, at parent: Int32, name: String, forbidding bits: mode_t) throws(StoreError) {
        let descriptor = openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            let errno = Errno.current
            // Linux says ENOTDIR, not ELOOP, for a link when O_DIRECTORY is asked for.
            guard errno == .notDirectory || errno == .loop else { throw StoreError(errno, on: name) }
            throw StoreError("\(name): not a folder, or a symbolic link to one", errno: errno)
        }
        self.descriptor = descriptor
        self.name = name

        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StoreError(.current, on: name) }
        guard status.st_uid == geteuid() else {
            throw StoreError("\(name): belongs to another user", errno: .access)
        }
        guard status.st_mode & bits == 0 else {
            let remedy = bits == 0o022 ? "go-w" : "go-rwx"
            throw StoreError("\(name): open to other users (chmod \(remedy) would close it)", errno: .access)
        }
    }

    deinit { close(descriptor) }

    /// Makes names that were added or removed in this folder survive a power failure. Blocks on the disk.
    func synchronize() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw StoreError(.current, on: name) }
    }

    private static func synchronize(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(.current, on: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StoreError(.current, on: path) }
    }

    /// The names of all that lies in it, in no order; those that are not UTF-8 are left out. Blocks on the disk.
    func names() throws(StoreError) -> [String] {
        // A descriptor of its own: the position of a shared one would be left at the end.
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw StoreError(.current, on: name) }
        guard let stream = fdopendir(copy) else {
            let errno = Errno.current
            close(copy)
            throw StoreError(errno, on: name)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            Glibc.errno = 0
            guard let entry = readdir(stream) else {
                guard Errno.current.rawValue == 0 else { throw StoreError(.current, on: name) }
                return names
            }
            // In place: a copy of the name's whole field would read past the end of the stream's buffer.
            let text = withUnsafePointer(to: &entry.pointee.d_name.0) { String(validatingCString: $0) }
            if let text, text != ".", text != ".." { names.append(text) }
        }
    }

    /// The folder's present path without any symbolic link, for libraries that know paths only.
    var path: String {
        get throws(StoreError) {
            guard let path = realpath("/proc/self/fd/\(descriptor)", nil) else { throw StoreError(.current, on: name) }
            defer { free(path) }
            return String(cString: path)
        }
    }
}
