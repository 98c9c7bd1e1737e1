import FoundationEssentials
import Glibc
import Listings
import Platform

/// A manifest on the local disk, read again when the file changes. Any thread; blocks on the disk.
final class ManifestFile: Sendable {
    /// What tells one state of a file from another.
    private struct Stamp: Hashable, Sendable {
        var device, inode: UInt64
        var size, seconds, nanoseconds: Int64

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            (seconds, nanoseconds) = (Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec))
        }
    }

    let path: String
    private let known = Lock<(stamp: Stamp, manifest: Manifest)?>(nil)
    /// As `Manifest` takes it; more is not read.
    private static let maximumSize: Int64 = 16 << 20

    init(path: String) { self.path = path }

    func manifest() throws(ManifestError) -> Manifest {
        guard let stamp = Stamp(path) else {
            throw ManifestError(line: nil, reason: "cannot read it: \(Errno.current)")
        }
        if let known = known.withLock({ $0 }), known.stamp == stamp { return known.manifest }
        guard stamp.size <= Self.maximumSize else {
            throw ManifestError(line: nil, reason: "over \(Self.maximumSize >> 20) MiB")
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw ManifestError(line: nil, reason: "cannot read it")
        }
        let manifest = try Manifest(Array(data))
        known.withLock { $0 = (stamp, manifest) }
        return manifest
    }
}
