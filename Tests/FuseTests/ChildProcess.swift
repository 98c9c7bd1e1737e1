import Glibc
import Platform
import Testing

/// A shell command as a child process with default signals, its output in a socket. Every wait is bounded: a child that
/// does not end is killed and the test fails.
final class ChildProcess {
    private let pid: pid_t
    private let output: Int32
    private var status: Int32?

    /// - Parameter path: the working directory, also `$0` of the command.
    init(_ command: String, in path: String) throws {
        var ends: [Int32] = [-1, -1]
        // A socket pair because Glibc's module has no pipe2, and a pipe would leak into children of other tests.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Errno.current }
        defer { close(ends[1]) }
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        for descriptor: Int32 in [1, 2] { posix_spawn_file_actions_adddup2(&files, ends[1], descriptor) }
        // The threads that run tests block most signals, and a child would inherit that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = ["sh", "-c", "cd \"$0\" && \(command)", path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        let result = posix_spawn(&pid, "/bin/sh", &files, &attributes, &arguments, environ)
        guard result == 0 else {
            close(ends[0])
            throw Errno(rawValue: result)
        }
        self.pid = pid
        output = ends[0]
    }

    deinit {
        if status == nil {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
        close(output)
    }

    /// What a command prints until its end.
    static func output(_ command: String, in path: String) throws -> String {
        let child = try ChildProcess(command, in: path)
        let text = child.read()
        _ = child.wait()
        return text
    }

    func terminate() { kill(pid, SIGTERM) }

    /// Output as it comes, until `isEnough` or the end.
    func read(until isEnough: (String) -> Bool = { _ in false }) -> String {
        let deadline = Instant.now() + .seconds(20)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !isEnough(String(decoding: bytes, as: UTF8.self)) {
            var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            if poll(&ready, 1, 100) > 0 {
                let count = Glibc.read(output, &chunk, chunk.count)
                if count <= 0 { break }
                bytes += chunk[..<count]
            } else if .now() > deadline {
                Issue.record("the output of a child does not end")
                kill(pid, SIGKILL)
                break
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The end of the process: its exit status, or 128 and the signal, as a shell counts.
    func wait() -> Int32 {
        let deadline = Instant.now() + .seconds(20)
        var status: Int32 = 0
        while waitpid(pid, &status, WNOHANG) == 0 {
            if .now() > deadline {
                Issue.record("a child does not end")
                kill(pid, SIGKILL)
                waitpid(pid, &status, 0)
                break
            }
            usleep(1000)
        }
        self.status = status
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}
