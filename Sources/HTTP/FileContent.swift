import Glibc
package import Platform
import Synchronization

/// The bytes of a local file, read by position; any thread.
package final class FileContent: Sendable {
    private let descriptor: Int32
    /// Bytes from the start of the file that are the content.
    package let size: Int64

    /// - Parameters:
    ///   - descriptor: open for reading; it stays the caller's, who may close it at once.
    ///   - size: bytes. If the file turns out to be shorter, what is being done with it fails.
    package init(duplicating descriptor: Int32, size: Int64) throws(Errno) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .current }
        self.descriptor = copy
        self.size = size
    }

    deinit { close(descriptor) }

    /// Whoever is about to change the file calls this first: of what it reads afterwards, nothing goes out.
    package func invalidate() { isValid.store(false, ordering: .sequentiallyConsistent) }

    private let isValid = Atomic<Bool>(true)

    /// Reads as many bytes as there are, at most `buffer.count` and never beyond `size`.
    /// - Returns: 0 at the end of the content, or of the file.
    /// - Throws: `.stale` if `invalidate` was called before the bytes were read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        let count = Int(min(Int64(buffer.count), max(0, size - offset)))
        while true {
            // SAFETY: `pread` writes at most `count` bytes, no more than the buffer has.
            let result = pread(descriptor, buffer.baseAddress, count, off_t(offset))
            // Looked at after the read: bytes that a writer changed after `invalidate` are never returned.
            guard isValid.load(ordering: .sequentiallyConsistent) else { throw .stale }
            if result >= 0 { return result }
            if errno != EINTR { throw .current }
        }
    }
}
