import CFuse
import Glibc
package import Platform

/// The answer to one READDIR or READDIRPLUS while it is filled.
// SAFETY: owns `memory` alone; the type cannot be copied.
package struct DirectoryBuffer: ~Copyable, @unchecked Sendable {
    /// The most bytes of one answer, whatever the kernel asks: as much as one read.
    private static let maximumSize = MountOptions.maximumRead

    /// READDIRPLUS: entries carry attributes and count as lookups.
    package let isPlus: Bool
    private let memory: UnsafeMutableRawBufferPointer
    private var used = 0

    init(size: Int, isPlus: Bool) {
        self.isPlus = isPlus
        memory = .allocate(byteCount: min(max(size, 0), Self.maximumSize), alignment: MemoryLayout<UInt64>.alignment)
    }

    deinit { memory.deallocate() }

    /// Whether nothing was added.
    package var isEmpty: Bool { used == 0 }

    /// Adds an entry of a plain READDIR. A name that the kernel would take as an error of the whole directory (empty,
    /// over 255 bytes, with "/" or NUL) is left out.
    /// - Parameter offset: where the listing goes on after this entry; never 0.
    /// - Returns: false if there is no room; the entry was not added and no other should be.
    package mutating func append(name: FileName, inode: UInt64, kind: Attributes.Kind, offset: Int64) -> Bool {
        var status = stat()
        status.st_ino = .init(inode)
        status.st_mode = kind.typeBits
        return append(name) { fuse_add_direntry(nil, $0, $1, $2, &status, off_t(offset)) }
    }

    /// Adds an entry of a READDIRPLUS. With node `.none` only inode and kind are used and the kernel asks by LOOKUP
    /// when it wants more; any other node counts as one lookup, except under the names "." and "..".
    /// - Returns: false if there is no room; the entry was not added and its lookup must not be counted.
    package mutating func append(name: FileName, entry: Entry, offset: Int64) -> Bool {
        var parameters = entry.parameters
        return append(name) { fuse_add_direntry_plus(nil, $0, $1, $2, &parameters, off_t(offset)) }
    }

    private mutating func append(
        _ name: FileName, _ add: (UnsafeMutablePointer<CChar>?, Int, UnsafePointer<CChar>?) -> Int
    ) -> Bool {
        let bytes = name.bytes
        guard !bytes.isEmpty, bytes.count <= FileName.maximumLength, !bytes.contains(0),
            !bytes.contains(UInt8(ascii: "/"))
        else { return true }
        let room = UnsafeMutableRawBufferPointer(rebasing: memory[used...])
        let needed = withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { text in
            for (index, byte) in bytes.enumerated() { text[index] = CChar(bitPattern: byte) }
            text[bytes.count] = 0
            return add(room.bindMemory(to: CChar.self).baseAddress, room.count, text.baseAddress)
        }
        guard needed <= room.count else { return false }
        used += needed
        return true
    }

    /// What was added, in the kernel's layout.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(rebasing: memory[..<used]))
    }

    /// The nodes whose lookup the kernel would have counted.
    func forEachCountedNode(_ body: (NodeID) -> Void) {
        guard isPlus else { return }
        let headLength = MemoryLayout<fuse_entry_out>.size + 24
        var start = 0
        while start + headLength <= used {
            // struct fuse_direntplus: fuse_entry_out (its first field is the node), then ino, off, namelen, type, name.
            let node = memory.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            let length = Int(memory.loadUnaligned(fromByteOffset: start + headLength - 8, as: UInt32.self))
            let name = memory[(start + headLength)..<min(start + headLength + length, used)]
            let isDot = name.elementsEqual([0x2E]) || name.elementsEqual([0x2E, 0x2E])
            if node != 0, !isDot { body(NodeID(rawValue: node)) }
            start += (headLength + length + 7) & ~7
        }
    }
}
