/// An open directory as the kernel's file handle names it; see `OpenFileHandle`.
final class OpenDirectoryHandle: Sendable {
    let directory: any OpenDirectory

    init(_ directory: any OpenDirectory) { self.directory = directory }

    /// The number for `fi.fh`. It holds a reference that `release` gives back; call each once.
    var identifier: UInt64 {
        UInt64(UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()))
    }

    /// The object behind a number that the kernel handed back, between OPENDIR and RELEASEDIR.
    static func named(_ identifier: UInt64) -> OpenDirectoryHandle? {
        guard let pointer = UnsafeRawPointer(bitPattern: UInt(identifier)) else { return nil }
        // SAFETY: the kernel only names handles that it got and has not released; `identifier` retained this one.
        return Unmanaged<OpenDirectoryHandle>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Ends the handle's life after RELEASEDIR, or when the kernel did not take it.
    func release() {
        directory.release()
        Unmanaged.passUnretained(self).release()
    }
}
