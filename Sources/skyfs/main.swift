import Filesystem
import Fuse
import Glibc
import HTTP
import Platform

signal(SIGPIPE, SIG_IGN)
func mountNow() throws {
    let args = CommandLine.arguments
    let log = Log(.descriptor(2))
    let (url, credentials) = try HTTPURL.parse(args[1])
    var configuration = HTTPConfiguration(userAgent: "skyfs/0.1", log: log)
    if let credentials { configuration.credentials[url.origin] = credentials }
    let client = try HTTPClient(configuration)
    let options = FilesystemOptions(user: getuid(), group: getgid(), version: "0.1")
    let fs = try RemoteFilesystem(
        sources: [Source(name: nil, url: url)], options: options, client: client, log: log, mountedAt: Int64(time(nil)))
    do { try fs.contactSources() } catch { print(error.reason, error.advice); exit(3) }
    let session = try Session(handler: fs, options: MountOptions(fsname: url.masked), mountPoint: args[2], log: log)
    session.raiseReadAhead()
    session.run()
    session.unmount()
    fs.shutdown()
    client.shutdown()
}
try mountNow()
