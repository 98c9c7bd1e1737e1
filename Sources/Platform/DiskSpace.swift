import CSystem

/// Room on the disk for parts of a file.
package enum DiskSpace {
    /// `fallocate(2)`: allocates `length` bytes from `offset`, or what the flags of `mode` say instead. May block on the
    /// local disk.
    package static func allocate(
        _ descriptor: Int32, mode: Int32, offset: Int64, length: Int64
    ) throws(Errno) {
        while csystem_fallocate(descriptor, mode, offset, length) != 0 {
            let errno = Errno.current
            if errno != .interrupted { throw errno }
        }
    }

    /// Allocates the first `bytes` bytes of a file and leaves its size as it is.
    package static func reserve(_ descriptor: Int32, bytes: Int64) throws(Errno) {
        try allocate(descriptor, mode: FALLOC_FL_KEEP_SIZE, offset: 0, length: bytes)
    }
}
