/// What the mount options say to the file system. Defaults are the documented ones.
package struct FilesystemOptions: Sendable {
    /// How long a listing or attribute is believed when the server says nothing.
    package var ttl: Duration = .seconds(60)
    /// How long an operation may go without progress towards its answer.
    package var operationTimeout: Duration = .seconds(30)
    /// Budget for file data in memory, in bytes.
    package var memory: Int64 = 128 << 20
    /// Bulk and metadata connections per host in all; one file's data uses all but one.
    package var connectionsPerHost = 8
    /// Links to other hosts are listed and followed.
    package var allowsExternalLinks = false
    /// 403 means "no such file".
    package var forbiddenIsMissing = false
    /// Owner of everything shown.
    package var user: UInt32
    package var group: UInt32
    /// Permission bits taken away.
    package var umask: UInt32 = 0o022
    /// Permission bits taken away in drop folders: what waits there is the user's alone unless `umask` says otherwise.
    package var dropMask: UInt32 = 0o077
    /// Folder for what may be lost: answers of the flight service.
    package var cache = ""
    /// Folder below which drop folders keep what is not sent.
    package var spool = ""
    /// How long a closed file must stay as it is before it is uploaded.
    package var settle: Duration = .seconds(1)
    /// Pause before the second try of an upload; doubles.
    package var retry: Duration = .seconds(2)
    /// Uploads at a time, per target.
    package var uploads = 3
    /// Closing a file of a drop folder gives the server's verdict.
    package var waitsForVerdict = false
    /// Of the program, for the status report.
    package var version: String

    package init(user: UInt32, group: UInt32, version: String) {
        self.user = user
        self.group = group
        self.version = version
    }
}
