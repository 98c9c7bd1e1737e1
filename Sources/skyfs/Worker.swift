import FoundationEssentials
import Glibc
import HTTP
import Platform

/// The process that serves a mount: this program again, with its request on one pipe and its verdict on another, so that
/// URLs and passwords never stand on a command line and errors reach the terminal.
struct Worker {
    /// "request descriptor,verdict descriptor"
    private static let variable = "SKYFS_WORKER"
    /// POSIX_SPAWN_SETSID of glibc, which does not import.
    private static let ownSession: Int16 = 0x80
    private static let ready = "ready\n"

    private let requestDescriptor: Int32
    private let verdictDescriptor: Int32

    /// nil in a process that is no worker.
    init?() {
        guard let value = getenv(Self.variable) else { return nil }
        let numbers = String(cString: value).split(separator: ",").compactMap { Int32($0) }
        unsetenv(Self.variable)
        guard numbers.count == 2 else { return nil }
        (requestDescriptor, verdictDescriptor) = (numbers[0], numbers[1])
    }

    /// Starts the worker for a request. In the background this returns once the mount is usable or has failed; in front
    /// the worker takes this process's place.
    static func start(_ request: MountRequest) throws(CommandError) -> ExitCode {
        guard let data = try? JSONEncoder().encode(request), let input = Pipe(), let verdict = Pipe() else {
            throw CommandError(.failure, "cannot start in the background: \(Errno.current)")
        }
        let words = ["skyfs", "mount", shown(request), request.mountPoint]
        if request.isForeground {
            _ = fcntl(input.reading, F_SETFD, 0)
            setenv(variable, "\(input.reading),-1", 1)
            // All of it has to fit into the pipe's buffer (64 KiB), for there is no reader yet.
            guard data.count < 60_000, input.write([UInt8](data)) else {
                throw CommandError(.usage, "too many sources and options")
            }
            close(input.writing)
            _ = CArguments.with(words) { execv("/proc/self/exe", $0) }
            throw CommandError(.failure, "cannot start: \(Errno.current)")
        }
        // The worker is in a session of its own: Ctrl-C reaches only this process.
        SignalMask.blockEnding()
        let pid = try spawn(words, input: input.reading, verdict: verdict.writing)
        _ = try? Thread.start(name: "signals") {
            while true {
                _ = SignalMask.wait()
                kill(pid, SIGTERM)
            }
        }
        close(input.reading)
        close(verdict.writing)
        _ = input.write([UInt8](data))
        close(input.writing)
        return report(verdict.readAll(), pid)
    }

    private static func shown(_ request: MountRequest) -> String {
        request.sources.map(\.shown).joined(separator: " ")
    }

    private static func spawn(_ words: [String], input: Int32, verdict: Int32) throws(CommandError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // 10 and 11 are above the standard descriptors, so that neither dup2 overwrites the other's source.
        posix_spawn_file_actions_adddup2(&actions, input, 10)
        posix_spawn_file_actions_adddup2(&actions, verdict, 11)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Self.ownSession)
        setenv(variable, "10,11", 1)
        defer { unsetenv(variable) }
        var pid = pid_t()
        let result = CArguments.with(words) { posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, $0, environ) }
        guard result == 0 else {
            throw CommandError(.failure, "cannot start in the background: \(Errno(rawValue: result))")
        }
        return pid
    }

    private static func report(_ verdict: [UInt8], _ pid: pid_t) -> ExitCode {
        let text = String(decoding: verdict, as: UTF8.self)
        if text == ready { return .success }
        Output.error(text.isEmpty ? "skyfs: the mount ended before it was usable\n" : text)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return ExitCode(rawValue: (status >> 8) & 0xFF) ?? .failure
    }

    // MARK: In the worker

    func run() throws(CommandError) -> ExitCode {
        let isBackground = verdictDescriptor >= 0
        guard let request = try? JSONDecoder().decode(MountRequest.self, from: Data(Pipe.readAll(requestDescriptor)))
        else {
            throw CommandError(.failure, "a worker without a request")
        }
        close(requestDescriptor)
        guard isBackground else { return try MountedSession(request).run(ready: { true }) }
        _ = fcntl(verdictDescriptor, F_SETFD, FD_CLOEXEC)
        do throws(CommandError) {
            let session = try MountedSession(request)
            // Relative paths of options are resolved by now.
            chdir("/")
            return try session.run {
                defer { close(verdictDescriptor) }
                // Nobody at the other end: the command was killed, and with it the wish for a mount.
                return Pipe.write(Array(Self.ready.utf8), to: verdictDescriptor)
            }
        } catch {
            Pipe.write(Array(error.text.utf8), to: verdictDescriptor)
            return error.code
        }
    }
}
