import Glibc

/// An error number of the operating system, as a FUSE reply or a failed call carries it.
package struct Errno: Error, Hashable, RawRepresentable, Sendable, CustomStringConvertible {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The calling thread's `errno`.
    package static var current: Errno { Errno(rawValue: Glibc.errno) }

    package static let notPermitted = Errno(rawValue: EPERM)
    package static let noEntry = Errno(rawValue: ENOENT)
    package static let interrupted = Errno(rawValue: EINTR)
    package static let io = Errno(rawValue: EIO)
    package static let again = Errno(rawValue: EAGAIN)
    package static let noMemory = Errno(rawValue: ENOMEM)
    package static let access = Errno(rawValue: EACCES)
    package static let exists = Errno(rawValue: EEXIST)
    package static let crossDevice = Errno(rawValue: EXDEV)
    package static let notDirectory = Errno(rawValue: ENOTDIR)
    package static let isDirectory = Errno(rawValue: EISDIR)
    package static let invalid = Errno(rawValue: EINVAL)
    package static let noSpace = Errno(rawValue: ENOSPC)
    package static let readOnly = Errno(rawValue: EROFS)
    package static let range = Errno(rawValue: ERANGE)
    package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
    package static let notImplemented = Errno(rawValue: ENOSYS)
    package static let notEmpty = Errno(rawValue: ENOTEMPTY)
    package static let loop = Errno(rawValue: ELOOP)
    package static let noData = Errno(rawValue: ENODATA)
    package static let notSupported = Errno(rawValue: EOPNOTSUPP)
    package static let notConnected = Errno(rawValue: ENOTCONN)
    package static let timedOut = Errno(rawValue: ETIMEDOUT)
    package static let hostUnreachable = Errno(rawValue: EHOSTUNREACH)
    package static let stale = Errno(rawValue: ESTALE)
    package static let illegalSequence = Errno(rawValue: EILSEQ)
    package static let badFileDescriptor = Errno(rawValue: EBADF)
    package static let busy = Errno(rawValue: EBUSY)
    package static let tooBig = Errno(rawValue: EFBIG)

    /// The system's words, for example "No such file or directory".
    package var description: String { String(cString: strerror(rawValue)) }
}
