import Fuse
import Platform
import Synchronization

/// An open file of a drop folder; it follows the file wherever that is moved.
final class DropFileHandle: OpenFile {
    private let folder: DropFolder
    private let number: Int64
    private let mayWrite: Bool
    private let hasWritten = Atomic<Bool>(false)
    /// Whether the file was changed by this descriptor since its last FLUSH.
    private let hasChanged: Atomic<Bool>
    /// Whether the one who wrote last by this descriptor was killed.
    private let isOrphaned = Atomic<Bool>(false)

    /// - Parameter isEmptied: opening it made or emptied the file.
    init(_ folder: DropFolder, number: Int64, mayWrite: Bool, isEmptied: Bool) {
        hasChanged = Atomic(isEmptied)
        self.folder = folder
        self.number = number
        self.mayWrite = mayWrite
    }

    func read(offset: Int64, size: Int, reply: consuming Reply) {
        folder.read(number, offset: offset, size: size, reply: reply)
    }

    func write(offset: Int64, _ data: borrowing WriteBuffer, reply: consuming Reply) {
        hasWritten.store(true, ordering: .relaxed)
        noteChange()
        folder.write(number, offset: offset, data, reply: reply)
    }

    /// The size is changed by this descriptor.
    func noteChange() {
        hasChanged.store(true, ordering: .relaxed)
        isOrphaned.store(false, ordering: .relaxed)
    }

    /// A killed writer leaves half a file, unless somebody who shares its descriptor goes on writing. So the last close
    /// of the descriptor decides, or a close by somebody who only looked on.
    func flush(wasKilled: Bool, reply: consuming Reply) {
        guard mayWrite else { return reply.done() }
        if wasKilled {
            isOrphaned.store(true, ordering: .relaxed)
            return reply.done()
        }
        if isOrphaned.load(ordering: .relaxed) {
            folder.writerFailed(number)
            return reply.done()
        }
        let hasWritten = hasWritten.exchange(false, ordering: .relaxed)
        let hasChanged = hasChanged.exchange(false, ordering: .relaxed)
        folder.flush(number, hasWritten: hasWritten, hasChanged: hasChanged, reply: reply)
    }

    func synchronize(reply: consuming Reply) { folder.synchronize(number, reply: reply) }

    func allocate(mode: Int32, offset: Int64, length: Int64, reply: consuming Reply) {
        noteChange()
        folder.allocate(number, mode: mode, offset: offset, length: length, reply: reply)
    }

    func release() {
        if isOrphaned.load(ordering: .relaxed) { folder.writerFailed(number) }
        folder.released(number, mayWrite: mayWrite)
    }
}
