import Glibc
package import Platform

/// Why something could not be kept on disk or found there.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, for people: names the file, ends without a full stop.
    package let words: String
    /// What a system call would have answered. `.io` where SQLite gave no better reason.
    package let errno: Errno
    /// The database holds what SQLite or its reader cannot understand: trying again is no use.
    let isDamage: Bool

    init(_ words: String, errno: Errno, isDamage: Bool = false) {
        self.words = words
        self.errno = errno
        self.isDamage = isDamage
    }

    /// A system call on `what` failed with `errno`.
    init(_ errno: Errno, on what: String) {
        self.init("\(what): \(errno)", errno: errno)
    }

    /// No room on the disk, or none left of the user's quota.
    package var isDiskFull: Bool { errno == .noSpace || errno.rawValue == EDQUOT }

    package var description: String { words }
}
