import CFuse
import Glibc
import Platform

extension Attributes {
    /// The bits of `st_mode` that are kept: all but the type and the set-ID bits (see `Channel.write`).
    static let permissionBits: UInt32 = 0o1777

    /// The system's form.
    var status: stat {
        var status = stat()
        status.st_ino = .init(inode)
        status.st_mode = mode_t(permissions & Self.permissionBits) | kind.typeBits
        status.st_nlink = .init(linkCount)
        status.st_uid = user
        status.st_gid = group
        status.st_size = .init(size)
        status.st_blksize = .init(blockSize)
        // In 512-byte units, whatever st_blksize says.
        status.st_blocks = .init(size / 512 + (size % 512 == 0 ? 0 : 1))
        let time = timespec(tv_sec: .init(modified), tv_nsec: .init(modifiedNanoseconds))
        status.st_mtim = time
        status.st_ctim = time
        status.st_atim = time
        return status
    }
}

extension Attributes.Kind {
    /// The type part of `st_mode`.
    var typeBits: mode_t {
        switch self {
        case .file: S_IFREG
        case .directory: S_IFDIR
        case .undecided: 0
        }
    }
}

extension Entry {
    /// libfuse's form.
    var parameters: fuse_entry_param {
        var parameters = fuse_entry_param()
        parameters.ino = node.rawValue
        parameters.attr = attributes.status
        parameters.attr_timeout = attributeTimeout.inSeconds
        parameters.entry_timeout = entryTimeout.inSeconds
        return parameters
    }
}

extension FilesystemStatistics {
    /// The system's form.
    var status: statvfs {
        var status = statvfs()
        status.f_bsize = .init(blockSize)
        status.f_frsize = .init(blockSize)
        status.f_blocks = .init(blocks)
        status.f_bfree = .init(freeBlocks)
        status.f_bavail = .init(freeBlocks)
        status.f_files = .init(files)
        status.f_ffree = .init(freeFiles)
        status.f_favail = .init(freeFiles)
        status.f_namemax = .init(FileName.maximumLength)
        return status
    }
}

extension AttributeChanges {
    /// From a SETATTR; nil if a number makes no sense.
    /// - Parameter selection: `FUSE_SET_ATTR_` bits: which fields of `status` count.
    init?(_ status: stat, selection: Int32) {
        if selection & FUSE_SET_ATTR_MODE != 0 { permissions = UInt32(status.st_mode) & Attributes.permissionBits }
        if selection & FUSE_SET_ATTR_UID != 0 { user = status.st_uid }
        if selection & FUSE_SET_ATTR_GID != 0 { group = status.st_gid }
        if selection & FUSE_SET_ATTR_SIZE != 0 {
            guard status.st_size >= 0 else { return nil }
            size = Int64(status.st_size)
        }
        if selection & FUSE_SET_ATTR_MTIME_NOW != 0 {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            modified = now.nanoseconds
        } else if selection & FUSE_SET_ATTR_MTIME != 0 {
            modified = status.st_mtim.nanoseconds
        }
    }
}

extension timespec {
    /// Since 1970; times more than 292 years away are cut to that.
    fileprivate var nanoseconds: Int64 {
        let (product, isOver) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isSumOver) = product.addingReportingOverflow(Int64(tv_nsec))
        return isOver || isSumOver ? (tv_sec < 0 ? .min : .max) : sum
    }
}
