import Filesystem
import Flights
import Fuse
import Glibc
import HTTP
import Platform

/// Everything the mount options decide.
struct MountSettings {
    var filesystem = Self.standard
    var connectTimeout = Duration.seconds(10)
    var stallTimeout = Duration.seconds(15)
    /// Requests a day to a flight service.
    var flightsBudget = RequestLimits().daily
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
        options.spool = StandardFolder.state.path ?? ""
        options.cache = StandardFolder.cache.path ?? ""
        return options
    }

    /// The client for all that goes to servers.
    func makeClient(_ identities: SourceIdentities, _ log: Log) throws(CommandError) -> HTTPClient {
        var configuration = HTTPConfiguration(userAgent: "skyfs/\(Program.version)", log: log)
        configuration.connectTimeout = connectTimeout
        configuration.stallTimeout = stallTimeout
        // Storing a large form takes a server longer than answering a read.
        configuration.answerTimeout = filesystem.operationTimeout * 4
        configuration.connectionsPerHost = filesystem.connectionsPerHost
        configuration.credentials = identities.credentials
        configuration.signing = identities.signing
        configuration.netrc = try NetrcFile.path(netrc)
        do { return try HTTPClient(configuration) } catch { throw CommandError(.failure, "cannot start: \(error)") }
    }

    /// Whether what is kept on disk will be reached without the mount itself.
    /// - Parameter mountPoint: as `MountPath` resolves it.
    func checkFolders(_ request: MountRequest, mountPoint: String) throws(CommandError) {
        let folders = [
            ("cache", request.hasFlights ? filesystem.cache : ""),
            ("spool", request.hasDropFolder ? filesystem.spool : ""),
        ]
        for (name, folder) in folders where MountPath.isInside(folder, mountPoint: mountPoint) {
            throw CommandError(
                .usage, "\(name) \(folder): lies in the mount point \(mountPoint)",
                advice: "give another folder with -o \(name)=FOLDER, or mount elsewhere")
        }
    }

    /// Whether what the sources need is there.
    func check(_ request: MountRequest) throws(CommandError) {
        if request.hasFlights, filesystem.cache.isEmpty {
            throw CommandError(
                .usage, "no place for answers of the flight service: HOME is not set", advice: "give -o cache=FOLDER")
        }
        guard request.hasDropFolder else { return }
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
