import Fuse
import Glibc
import Platform

/// A file or folder of a `WritableFolder`; its bytes lie in a file without a name. It is its own open file.
final class WritableNode: OpenFile {
    private struct State {
        var permissions: UInt32
        /// Nanoseconds since 1970.
        var modified: Int64 = 0
    }

    let number: UInt64
    let descriptor: Int32
    private let isFolder: Bool
    private let state: Lock<State>
    private weak let folder: WritableFolder?

    init(number: UInt64, permissions: UInt32, isFolder: Bool, descriptor: Int32?, folder: WritableFolder) {
        self.number = number
        self.isFolder = isFolder
        self.folder = folder
        state = Lock(State(permissions: permissions))
        self.descriptor = descriptor ?? Self.temporaryFile()
    }

    deinit { close(descriptor) }

    private static func temporaryFile() -> Int32 {
        var template = TemporaryFolder.template
        let descriptor = mkstemp(&template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        return descriptor
    }

    var size: Int64 {
        get { Int64(lseek(descriptor, 0, SEEK_END)) }
        set { ftruncate(descriptor, off_t(newValue)) }
    }

    var attributes: Attributes {
        let (permissions, modified) = state.withLock { ($0.permissions, $0.modified) }
        var attributes = Attributes(
            kind: isFolder ? .directory : .file, inode: 1000 + number, permissions: permissions)
        attributes.size = size
        attributes.modified = modified / 1_000_000_000
        attributes.modifiedNanoseconds = modified % 1_000_000_000
        return attributes
    }

    var entry: Entry {
        Entry(
            node: NodeID(rawValue: number), attributes: attributes, attributeTimeout: .zero, entryTimeout: .seconds(7))
    }

    /// All bytes.
    var contents: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Array(bytes[..<max(count, 0)])
    }

    func change(_ changes: AttributeChanges) {
        if let size = changes.size { self.size = size }
        state.withLock { state in
            if let permissions = changes.permissions { state.permissions = permissions }
            if let modified = changes.modified { state.modified = modified }
        }
    }

    func read(offset: Int64, size: Int, reply: consuming Reply) {
        let contents = contents
        let start = min(Int(offset), contents.count)
        let memory = Memory(Array(contents[start..<min(start + size, contents.count)]))
        if let slice = memory.slice(0..<memory.count) { reply.data(slice) }
    }

    func write(offset: Int64, _ data: borrowing WriteBuffer, reply: consuming Reply) {
        folder?.note("write \(number) \(offset) \(data.count)")
        switch data.copy(to: descriptor, at: offset) {
        case .success(let count): reply.written(count)
        case .failure(let error): reply.fail(error)
        }
    }

    func flush(wasKilled: Bool, reply: consuming Reply) {
        folder?.note("flush \(number)\(wasKilled ? " killed" : "")")
        folder?.flush(self, reply: reply)
    }

    func synchronize(reply: consuming Reply) {
        folder?.note("synchronize \(number)")
        reply.done()
    }

    func allocate(mode: Int32, offset: Int64, length: Int64, reply: consuming Reply) {
        folder?.note("allocate \(number) \(mode) \(offset) \(length)")
        if size < offset + length { size = offset + length }
        reply.done()
    }

    func release() { folder?.note("release \(number)") }
}
