import Platform
import Segments

/// Lets the memory budget take segments of a file back without keeping the file alive.
final class SegmentEvictor: Evictable {
    private let state: Lock<WeakFile>

    private struct WeakFile {
        weak var file: RemoteFile?
    }

    init(_ file: RemoteFile) { state = Lock(WeakFile(file: file)) }

    var oldestUse: Instant? { file?.state.withLock { $0.bytes?.oldestUse } }

    func evict() -> Int64 { file?.state.withLock { $0.bytes?.evict() } ?? 0 }

    private var file: RemoteFile? { state.withLock { $0.file } }
}
