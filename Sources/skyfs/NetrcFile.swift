import Glibc
import Platform

/// Where user names and passwords by host are kept.
enum NetrcFile {
    /// - Parameter given: nil for the one in the user's home, if there is one.
    static func path(_ given: String?) throws(CommandError) -> String? {
        if let given {
            if access(given, R_OK) == 0 { return given }
            throw CommandError(.usage, "cannot read \(given): \(Errno.current)", advice: "see -o netrc=FILE")
        }
        let home = getenv("HOME").map { String(cString: $0) + "/.netrc" }
        return home.flatMap { access($0, R_OK) == 0 ? $0 : nil }
    }
}
