import Fuse
import Platform

/// The directories the kernel may name, by number. Any thread.
///
/// A node id is a directory's number in the upper half and a child's slot in the lower; slot 0 is the directory itself.
/// So a file costs no table row of its own. Number 0 is kept for the root and the report files.
final class DirectoryTable: Sendable {
    private struct State {
        var directories: [UInt32: Directory] = [:]
        var next: UInt32 = 1
    }

    private let state = Lock(State())

    /// A fresh number for a directory that is about to be made.
    func nextNumber() -> UInt32 {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    func insert(_ directory: Directory) { state.withLock { $0.directories[directory.number] = directory } }

    func remove(_ number: UInt32) { state.withLock { $0.directories[number] = nil } }

    subscript(number: UInt32) -> Directory? { state.withLock { $0.directories[number] } }

    var count: Int { state.withLock { $0.directories.count } }

    var all: [Directory] { state.withLock { Array($0.directories.values) } }
}

extension NodeID {
    init(directory number: UInt32, slot: UInt32) { self.init(rawValue: UInt64(number) << 32 | UInt64(slot)) }

    var directoryNumber: UInt32 { UInt32(rawValue >> 32) }
    var slot: UInt32 { UInt32(truncatingIfNeeded: rawValue) }
}
