import Glibc
package import Platform

/// The bytes of one WRITE, valid until `OpenFile.write` returns.
// SAFETY: never copied and only lent to handlers, so it cannot outlive the request buffer that `bytes` points into.
package struct WriteBuffer: ~Copyable, @unchecked Sendable {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Bytes.
    package var count: Int { bytes.count }

    /// Writes all bytes to a file, blocking as pwrite(2) does.
    /// - Parameter offset: where in the file the first byte goes.
    /// - Returns: `count`, or why not all could be written (`.noSpace`: the disk is full); some may have been then.
    package func copy(to descriptor: Int32, at offset: Int64) -> Result<Int, Errno> {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let written = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if written > 0 {
                // A short write has its reason, which the next one tells.
                done += written
            } else if written == 0 {
                return .failure(.io)
            } else if Errno.current != .interrupted {
                return .failure(.current)
            }
        }
        return .success(done)
    }
}
