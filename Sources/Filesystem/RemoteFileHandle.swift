import Fuse

/// An open file: reads go to the one version it was opened with.
final class RemoteFileHandle: OpenFile {
    private let file: RemoteFile

    init(_ file: RemoteFile) { self.file = file }

    func read(offset: Int64, size: Int, reply: consuming Reply) {
        file.read(offset: offset, length: size, reply: reply)
    }

    func release() { file.released() }
}
