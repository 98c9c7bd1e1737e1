import Glibc

/// A program started by this one.
struct ChildProcess {
    enum Output {
        case inherited, discarded
    }

    private let pid: pid_t

    /// Starts `words[0]`, found along PATH, with an empty signal mask.
    init?(_ words: [String], output: Output = .inherited, input: Int32? = nil, standardOutput: Int32? = nil) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        if let standardOutput { posix_spawn_file_actions_adddup2(&actions, standardOutput, STDOUT_FILENO) }
        if case .discarded = output {
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pid = pid_t()
        let result = CArguments.with(words) { posix_spawnp(&pid, words[0], &actions, &attributes, $0, environ) }
        guard result == 0 else { return nil }
        self.pid = pid
    }

    /// The exit code; 128 + signal if one ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 { if errno != EINTR { return -1 } }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    func terminate() { kill(pid, SIGTERM) }
}
