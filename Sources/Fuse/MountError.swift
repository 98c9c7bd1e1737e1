package import Platform

/// Why a mount did not come about.
package enum MountError: Error, Equatable, CustomStringConvertible {
    /// There is no `/dev/fuse`.
    case noDevice
    /// The system does not let this user open the named path or mount there.
    case notPermitted(String)
    case mountPointMissing(String)
    case notADirectory(String)
    /// A mount whose program has ended is still there.
    case staleMount(String)
    /// This file system is mounted there already.
    case alreadyMounted(String)
    /// The mount point cannot be examined.
    case unreachable(String, Errno)
    /// Only needed, and looked for, by users other than root.
    case fusermountMissing
    /// `allow_other` without root and without `user_allow_other`.
    case allowOtherNotPermitted
    /// libfuse does not know an option; its words.
    case invalidOption(String)
    /// Any other reason; libfuse's words.
    case refused(String)

    /// What happened, without a full stop.
    package var description: String {
        switch self {
        case .noDevice: "/dev/fuse: no such device"
        case .notPermitted(let path): "\(path): permission denied"
        case .mountPointMissing(let path): "\(path): no such directory"
        case .notADirectory(let path): "\(path): not a directory"
        case .staleMount(let path): "\(path): an earlier mount was not taken down"
        case .alreadyMounted(let path): "\(path): already mounted"
        case .unreachable(let path, let errno): "\(path): \(errno)"
        case .fusermountMissing: "fusermount3: not found"
        case .allowOtherNotPermitted: "allow_other: not permitted"
        case .invalidOption(let words): words.isEmpty ? "libfuse refused the mount options" : words
        case .refused(let words): words.isEmpty ? "the system refused the mount" : words
        }
    }

    /// What the user can do about it, one line without a full stop; nil if nothing general can be said.
    package var advice: String? {
        switch self {
        case .noDevice: "load the kernel module with 'modprobe fuse', or give the container the device /dev/fuse"
        case .notPermitted(let path): "use a directory of your own, or see who may use \(path)"
        case .mountPointMissing(let path): "create it with 'mkdir -p \(path)'"
        case .notADirectory: "name a directory as the mount point"
        case .staleMount(let path): "take it down with 'fusermount3 -u \(path)'"
        case .alreadyMounted(let path): "unmount it first with 'skyfs unmount \(path)'"
        case .unreachable: nil
        case .fusermountMissing: "install the package fuse3"
        case .allowOtherNotPermitted: "add the line user_allow_other to /etc/fuse.conf, or mount as root"
        case .invalidOption: "see 'man mount.fuse3' for the options that FUSE knows"
        case .refused: nil
        }
    }
}
