package import Platform

/// All entries of one directory, in the order listed, each name once.
///
/// Compact: names and references lie in one array of bytes, rows have 32 bytes, the index of names four bytes a slot; a row
/// of a usual nginx listing costs about 70 bytes in all.
package struct Listing: Sendable {
    private struct Row: Sendable {
        var nameStart: UInt32
        var referenceStart: UInt32
        var referenceLength: UInt16
        var nameLength: UInt8
        var kind: ListingEntry.Kind
        var sizeKind: UInt8
        /// Bytes; meaning by `sizeKind`.
        var size: Int64
        /// `Int64.min`: none.
        var modified: Int64

        var entrySize: ListingEntry.Size {
            get {
                switch sizeKind {
                case 1: .exact(size)
                case 2: .approximate(size)
                default: .unknown
                }
            }
            set {
                switch newValue {
                case .exact(let bytes): (sizeKind, size) = (1, bytes)
                case .approximate(let bytes): (sizeKind, size) = (2, bytes)
                case .unknown: (sizeKind, size) = (0, 0)
                }
            }
        }
    }

    private var rows: [Row] = []
    private var bytes: [UInt8] = [0]
    /// Open addressing: row number + 1, or 0.
    private var slots: [UInt32]
    /// Links that could not become entries because their names cannot be shown.
    package var skipped = 0

    /// The first entry of a name wins; a later one may add the size or date that it lacks, and a directory wins over a file.
    package init(entries: some Sequence<ListingEntry>) {
        slots = Array(repeating: 0, count: 16)
        for entry in entries { add(entry) }
    }

    package var count: Int { rows.count }

    /// Memory of the arrays.
    package var bytesUsed: Int {
        rows.capacity * MemoryLayout<Row>.stride + bytes.capacity + slots.capacity * MemoryLayout<UInt32>.stride
    }

    package subscript(index: Int) -> ListingEntry {
        let row = rows[index]
        return ListingEntry(
            name: name(at: index), reference: reference(of: row), kind: row.kind, size: row.entrySize,
            modified: row.modified == .min ? nil : row.modified)
    }

    package func name(at index: Int) -> FileName {
        let start = Int(rows[index].nameStart)
        return FileName(bytes: Array(bytes[start..<start + Int(rows[index].nameLength)]))
    }

    /// The row of a name; nil if the directory has none. Constant time.
    package func index(of name: FileName) -> Int? {
        let slot = slot(of: name.bytes)
        return slots[slot] == 0 ? nil : Int(slots[slot]) - 1
    }

    private func reference(of row: Row) -> String {
        let start = Int(row.referenceStart)
        return String(decoding: bytes[start..<start + Int(row.referenceLength)], as: UTF8.self)
    }

    /// Adds an entry; see `init`.
    package mutating func add(_ entry: ListingEntry) {
        let slot = slot(of: entry.name.bytes)
        if slots[slot] != 0 { return merge(entry, into: Int(slots[slot]) - 1) }
        let reference = Array(entry.reference.utf8)
        guard entry.name.isValid, reference.count <= Int(UInt16.max), bytes.count < Int(UInt32.max) - 70_000 else {
            skipped += 1
            return
        }
        let nameStart = bytes.count
        bytes.append(contentsOf: entry.name.bytes)
        let referenceStart = bytes.count
        bytes.append(contentsOf: reference)
        rows.append(
            Row(
                nameStart: UInt32(nameStart), referenceStart: UInt32(referenceStart),
                referenceLength: UInt16(reference.count), nameLength: UInt8(entry.name.bytes.count), kind: entry.kind,
                sizeKind: 0, size: 0, modified: entry.modified ?? .min))
        rows[rows.count - 1].entrySize = entry.size
        slots[slot] = UInt32(rows.count)
        if rows.count * 4 > slots.count * 3 { grow() }
    }

    private mutating func merge(_ entry: ListingEntry, into index: Int) {
        if entry.kind == .directory, rows[index].kind != .directory {
            rows[index].kind = .directory
            rows[index].referenceStart = UInt32(bytes.count)
            rows[index].referenceLength = UInt16(clamping: entry.reference.utf8.count)
            bytes.append(contentsOf: entry.reference.utf8)
        }
        if rows[index].entrySize == .unknown { rows[index].entrySize = entry.size }
        if rows[index].modified == .min, let modified = entry.modified { rows[index].modified = modified }
    }

    /// Applies to every row: for what only the whole listing shows.
    mutating func updateAll(_ body: (inout ListingEntry.Kind, inout ListingEntry.Size, inout Int64?) -> Void) {
        for index in rows.indices {
            var modified: Int64? = rows[index].modified == .min ? nil : rows[index].modified
            var row = rows[index]
            var (kind, size) = (row.kind, row.entrySize)
            body(&kind, &size, &modified)
            row.kind = kind
            row.entrySize = size
            row.modified = modified ?? .min
            rows[index] = row
        }
    }

    // MARK: Index of names

    private func slot(of name: [UInt8]) -> Int {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] != 0 {
            let row = rows[Int(slots[slot]) - 1]
            let start = Int(row.nameStart)
            if Int(row.nameLength) == name.count, bytes[start..<start + name.count].elementsEqual(name) { return slot }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for index in rows.indices {
            let start = Int(rows[index].nameStart)
            var slot = Self.hash(bytes[start..<start + Int(rows[index].nameLength)]) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }

    /// Swift's own seeded hash: names come from strangers, who must not be able to choose collisions.
    private static func hash(_ name: some Sequence<UInt8>) -> Int {
        var hasher = Hasher()
        if name.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
            for byte in name { hasher.combine(byte) }
        }
        return hasher.finalize() & .max
    }
}
