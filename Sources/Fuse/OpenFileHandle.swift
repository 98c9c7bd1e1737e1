import CFuse

/// An open file as the kernel's file handle names it: the handle is the address of this object, so a read needs no
/// table.
final class OpenFileHandle: Sendable {
    let file: any OpenFile

    init(_ file: any OpenFile) { self.file = file }

    /// The number for `fi.fh`. It holds a reference that `release` gives back; call each once.
    var identifier: UInt64 {
        UInt64(UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()))
    }

    /// The object behind a number that the kernel handed back, between OPEN and RELEASE.
    static func named(_ identifier: UInt64) -> OpenFileHandle? {
        guard let pointer = UnsafeRawPointer(bitPattern: UInt(identifier)) else { return nil }
        // SAFETY: the kernel only names handles that it got and has not released; `identifier` retained this one.
        return Unmanaged<OpenFileHandle>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The answer to OPEN; see `Reply.opened`. Takes the reference of `identifier`.
    func information(directIO: Bool, keepCache: Bool, noFlush: Bool) -> fuse_file_info {
        var info = fuse_file_info()
        info.fh = identifier
        info.direct_io = directIO ? 1 : 0
        info.keep_cache = keepCache ? 1 : 0
        info.noflush = noFlush ? 1 : 0
        return info
    }

    /// Ends the handle's life after RELEASE, or when the kernel did not take it.
    func release() {
        file.release()
        Unmanaged.passUnretained(self).release()
    }
}
