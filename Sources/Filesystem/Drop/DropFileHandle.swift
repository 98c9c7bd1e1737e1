import Fuse
import Platform
import Synchronization

/// An open file of a drop folder; it follows the file wherever that is moved.
final class DropFileHandle: OpenFile {
    private let folder: DropFolder
    private let number: Int64
    private let mayWrite: Bool
    private let hasWritten = Atomic<Bool>(false)

    init(_ folder: DropFolder, number: Int64, mayWrite: Bool) {
        self.folder = folder
        self.number = number
        self.mayWrite = mayWrite
    }

    func read(offset: Int64, size: Int, reply: consuming Reply) {
        folder.read(number, offset: offset, size: size, reply: reply)
    }

    func write(offset: Int64, _ data: borrowing WriteBuffer, reply: consuming Reply) {
        hasWritten.store(true, ordering: .relaxed)
        folder.write(number, offset: offset, data, reply: reply)
    }

    func flush(wasKilled: Bool, reply: consuming Reply) {
        guard mayWrite else { return reply.done() }
        let hasWritten = hasWritten.exchange(false, ordering: .relaxed)
        folder.flush(number, hasWritten: hasWritten, wasKilled: wasKilled, reply: reply)
    }

    func synchronize(reply: consuming Reply) { folder.synchronize(number, reply: reply) }

    func allocate(mode: Int32, offset: Int64, length: Int64, reply: consuming Reply) {
        folder.allocate(number, mode: mode, offset: offset, length: length, reply: reply)
    }

    func release() { folder.released(number, mayWrite: mayWrite) }
}
