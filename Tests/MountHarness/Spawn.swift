import Glibc
import Platform

/// Starts programs: `posix_spawn` instead of Foundation's Process, because the child must not inherit blocked signals
/// and must lead its own process group.
enum Spawn {
    static func run(
        _ arguments: [String], environment: [String: String], output: Int32, errors: Int32
    ) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigfillset(&defaults)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var argumentList = arguments.map { strdup($0) }
        var environmentList = environment.map { strdup("\($0.key)=\($0.value)") }
        argumentList.append(nil)
        environmentList.append(nil)
        defer { for text in argumentList + environmentList { free(text) } }
        var pid = pid_t()
        let result = posix_spawnp(&pid, arguments[0], &actions, &attributes, argumentList, environmentList)
        guard result == 0 else { throw Errno(rawValue: result) }
        return pid
    }
}
