import Filesystem
import Fuse
import Glibc
import HTTP
import Platform

/// One mount from its first request to its end, in the process that serves it.
struct MountedSession {
    /// From SIGTERM to the end, whatever hangs.
    private static let graceAtEnd = Duration.seconds(5)

    private let request: MountRequest
    private let settings: MountSettings

    init(_ request: MountRequest) throws(CommandError) {
        self.request = request
        var settings = MountSettings()
        for option in request.options { try MountOption.apply(option, to: &settings) }
        self.settings = settings
    }

    /// Mounts, serves until the mount is taken away or a signal comes, and cleans up.
    /// - Parameter ready: called once the mount is usable. Returns whether it is still wanted.
    func run(ready: () -> Bool) throws(CommandError) -> ExitCode {
        SignalMask.blockEnding()
        MemoryReturn.configure()
        let log = try makeLog()
        let (sources, identities) = try request.opened(settings)
        let client = try settings.makeClient(identities, log)
        defer { client.shutdown() }
        let guardian = EndGuard(graceAtEnd: Self.graceAtEnd)
        guardian.start()
        let filesystem: MountTree
        do throws(StartError) {
            filesystem = try MountTree(
                sources: sources, options: settings.filesystem, client: client, log: log, mountedAt: Int64(time(nil)))
        } catch { throw CommandError(.failure, error.words, advice: error.advice) }
        defer { filesystem.shutdown() }
        do { try filesystem.contactSources() } catch { throw CommandError(error) }
        guardian.mountingBegins()
        let session: Session
        do throws(MountError) {
            let options = mountOptions(sources, isWritable: filesystem.isWritable)
            session = try Session(handler: filesystem, options: options, mountPoint: request.mountPoint, log: log)
        } catch { throw CommandError(error) }
        session.raiseReadAhead()
        // A terminal that is closed ends what runs on it.
        let endsWithTerminal = request.isForeground && isatty(STDIN_FILENO) != 0
        let resumes = filesystem.isWritable && !endsWithTerminal
        let resume: @Sendable () -> Void = { filesystem.resumeUploads() }
        guardian.watch(session, hangUp: resumes ? resume : nil)
        log.info("\(sources.map(\.address).joined(separator: ", ")) mounted on \(request.mountPoint)")
        if ready() { session.run() }
        guardian.endBegins()
        session.unmount()
        log.info("\(request.mountPoint) unmounted")
        return .success
    }

    private func makeLog() throws(CommandError) -> Log {
        if let path = settings.logFile {
            let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw CommandError(.usage, "cannot write the log \(path): \(Errno.current)") }
            return Log(.descriptor(descriptor), threshold: settings.logLevel)
        }
        return Log(request.isForeground ? .descriptor(STDERR_FILENO) : .syslog, threshold: settings.logLevel)
    }

    private func mountOptions(_ sources: [Source], isWritable: Bool) -> MountOptions {
        // Without queries: they may be signatures.
        let shown = sources.map(\.shownAddress).joined(separator: " ")
        var options = MountOptions(fsname: settings.fsname ?? shown)
        options.readOnly = !isWritable
        options.allowOther = settings.allowsOther
        options.extra = settings.passedOn
        return options
    }
}
