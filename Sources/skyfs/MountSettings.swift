import Filesystem
import Fuse
import Glibc
import HTTP
import Platform

/// Everything the mount options decide.
struct MountSettings {
    var filesystem = FilesystemOptions(user: getuid(), group: getgid(), version: Program.version)
    var connectTimeout = Duration.seconds(10)
    var stallTimeout = Duration.seconds(15)
    var netrc: String?
    /// nil: syslog in the background, standard error in front.
    var logFile: String?
    var logLevel = Log.Level.info
    /// Shown in /proc/mounts instead of the URL.
    var fsname: String?
    var allowsOther = false
    var allowsNonEmpty = false
    /// Words for libfuse and the kernel.
    var passedOn: [String] = []
}
