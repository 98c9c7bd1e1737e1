import Glibc
package import Platform

/// One file's bytes on the local disk, open until the last reference is gone. Any thread.
package final class SpoolFile: Sendable {
    /// Open for reading and writing; belongs to this object. Use `pread`, `pwrite` and their like only: the file
    /// position is nobody's.
    package let descriptor: Int32
    /// Its name in the spool folder.
    package let number: Int64
    /// The first failure to bring bytes to the disk. The kernel reports it once and then calls the lost pages clean,
    /// so it has to be remembered until the file starts from nothing.
    private let failure = Lock<StoreError?>(nil)

    private static let pieceSize = 1 << 20

    /// Takes over `descriptor`.
    init(descriptor: Int32, number: Int64) {
        self.descriptor = descriptor
        self.number = number
    }

    deinit { close(descriptor) }

    /// The present length in bytes.
    package func size() throws(StoreError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StoreError(.current, on: name) }
        return Int64(status.st_size)
    }

    /// At most `count` bytes from `offset`; nil at and past the end.
    package func read(offset: Int64, count: Int) throws(StoreError) -> ContentBuffer? {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let result = pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(offset) + filled)
                if result < 0, Errno.current == .interrupted { continue }
                if result < 0 { failure = .current }
                if result <= 0 { break }
                filled += result
            }
        }
        if let failure { throw StoreError(failure, on: name) }
        return bytes.isEmpty ? nil : ContentBuffer(bytes)
    }

    /// A descriptor of its own for whoever reads the file beyond this object's life.
    package func duplicateDescriptor() throws(StoreError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw StoreError(.current, on: name) }
        return copy
    }

    /// Cuts the file, or lets it grow with zeros.
    package func truncate(to size: Int64) throws(StoreError) {
        while ftruncate(descriptor, off_t(size)) != 0 {
            guard Errno.current == .interrupted else { throw StoreError(.current, on: name) }
        }
        if size == 0 { failure.withLock { $0 = nil } }
    }

    /// Where the file belongs, for the time until its row is in the journal; see `FileNote`.
    package var note: String? { FileNote.get(from: descriptor) }

    package func setNote(_ text: String) { FileNote.set(text, on: descriptor) }

    /// `fallocate(2)` with its flags in `mode`.
    package func allocate(mode: Int32, offset: Int64, length: Int64) throws(StoreError) {
        do {
            try DiskSpace.allocate(descriptor, mode: mode, offset: offset, length: length)
        } catch {
            throw StoreError(error, on: name)
        }
    }

    /// Brings all bytes written so far to the disk (fdatasync). Blocks on the disk: for the journal's thread.
    /// Fails for good once it failed, until the file was truncated to nothing.
    package func synchronize() throws(StoreError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
        while fdatasync(descriptor) != 0 {
            let errno = Errno.current
            guard errno != .interrupted else { continue }
            let error = StoreError(errno, on: name)
            failure.withLock { $0 = error }
            throw error
        }
    }

    /// SHA-256 of the present bytes as hexadecimal digits. Blocks on the disk and burns CPU (about 1 s for 1 GiB).
    package func sha256() throws(StoreError) -> String {
        var digest = try SHA256Digest()
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        var offset: Int64 = 0
        while true {
            let count = piece.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            if count < 0 {
                guard Errno.current == .interrupted else { throw StoreError(.current, on: name) }
                continue
            }
            guard count > 0 else { break }
            try digest.update(piece[..<count])
            offset += Int64(count)
        }
        return try digest.finish()
    }

    private var name: String { "spooled file \(number)" }
}
