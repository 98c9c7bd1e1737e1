import Platform

/// All remote files that exist, without keeping them alive: for the end of the mount. Any thread.
final class FileRegistry: Sendable {
    private struct State {
        var files: [UInt64: WeakFile] = [:]
        var nextKey: UInt64 = 1
    }

    private struct WeakFile {
        weak var file: RemoteFile?
    }

    private let state = Lock(State())

    /// A number of its own for a file that is about to be made.
    func nextKey() -> UInt64 {
        state.withLock { state in
            defer { state.nextKey += 1 }
            return state.nextKey
        }
    }

    func insert(_ file: RemoteFile) { state.withLock { $0.files[file.key] = WeakFile(file: file) } }

    func remove(_ key: UInt64) { state.withLock { $0.files[key] = nil } }

    func shutDown() {
        let files = state.withLock { $0.files.values.compactMap(\.file) }
        for file in files { file.shutDown() }
    }
}
