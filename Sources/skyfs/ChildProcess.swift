import Glibc

/// A program started by this one.
struct ChildProcess {
    /// Descriptors the child gets in place of this process's; nil: the same as here.
    struct Streams {
        var input: Int32?
        var output: Int32?
        var errors: Int32?
    }

    private let pid: pid_t

    /// Starts `words[0]`, found along PATH, with an empty signal mask.
    init?(_ words: [String], streams: Streams = Streams()) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input = streams.input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        if let output = streams.output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        if let errors = streams.errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
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

    /// Waits for the end.
    /// - Returns: the exit code; 128 + signal if one ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 { if errno != EINTR { return -1 } }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}
