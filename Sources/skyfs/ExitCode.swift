/// The documented exit codes of the program.
enum ExitCode: Int32, CaseIterable {
    case success = 0
    case failure = 1
    /// Wrong command line, option or configuration file.
    case usage = 2
    /// The source does not exist (404, 410).
    case notFound = 3
    /// The server refused (401, 403, 407).
    case denied = 4
    /// No connection to the server.
    case unreachable = 5
    /// What the server sent is no directory and no file.
    case notAListing = 6
    /// The mount point cannot be used.
    case mountPoint = 7
    /// No /dev/fuse, or no permission to mount.
    case noFuse = 8
    /// Something still uses the mount.
    case busy = 9
    /// The service may not be asked again for now.
    case tooOften = 10
}
