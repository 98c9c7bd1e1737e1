import Fuse
import Glibc
import Platform

/// What is mounted where, as far as commands ask.
enum MountList {
    static let ownType = "fuse.skyfs"
    /// A live mount answers statfs(2) by itself, without its server.
    private static let answerLimit = Duration.seconds(5)

    enum Life { case alive, dead, silent }

    /// The type of the topmost mount at exactly this path (see `MountPath`); nil if nothing is mounted there.
    static func type(at path: String) -> String? { MountTable.current().mount(at: path)?.type }

    /// Whether a process still answers for the mount at `path`. A dead one may still answer stat(2) from the kernel's
    /// cache, but never statfs(2).
    static func life(of path: String) -> Life {
        let answer = Condition<Errno?>(nil)
        // In a thread of its own: a process that is stopped leaves the call hanging.
        let thread = try? Thread.start(name: "statfs") {
            var disk = statvfs()
            let result = statvfs(path, &disk) == 0 ? Errno(rawValue: 0) : Errno.current
            answer.update { $0 = result }
        }
        guard thread != nil else { return .silent }
        let result: Errno? = answer.wait(until: { $0 != nil }, before: .now() + answerLimit) { $0 } ?? nil
        return switch result {
        case nil: .silent
        case .notConnected?, Errno(rawValue: ECONNABORTED)?: .dead
        case _?: .alive
        }
    }
}
