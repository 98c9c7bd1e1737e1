import Filesystem
import Fuse
import Glibc
import HTTP
import Platform

/// Everything the mount options decide.
struct MountSettings {
    var filesystem = Self.standard
    var connectTimeout = Duration.seconds(10)
    var stallTimeout = Duration.seconds(15)
    var netrc: String?
    /// nil: syslog in the background, standard error in front.
    var logFile: String?
    var logLevel = Log.Level.info
    /// Shown in /proc/mounts instead of the URL.
    var fsname: String?
    /// Asked for with "ro". A mount of files is so anyway.
    var isReadOnly = false
    var allowsOther = false
    var allowsNonEmpty = false
    /// Words for libfuse and the kernel.
    var passedOn: [String] = []

    private static var standard: FilesystemOptions {
        var options = FilesystemOptions(user: getuid(), group: getgid(), version: Program.version)
        options.spool = StateFolder.standard ?? ""
        return options
    }

    func check(hasDropFolder: Bool) throws(CommandError) {
        guard hasDropFolder else { return }
        if isReadOnly {
            throw CommandError(
                .usage, "mount option ro: a drop folder is for writing",
                advice: "leave ro out, or leave the drop folder out")
        }
        if filesystem.spool.isEmpty {
            throw CommandError(
                .usage, "no place for files that wait to be sent: HOME is not set", advice: "give -o spool=FOLDER")
        }
    }
}
