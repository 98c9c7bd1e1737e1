import HTTP
package import Platform

/// All entries of one directory in the order of the listing, each name once.
///
/// Compact: names and references lie in one byte array each, an entry is a row of 40 bytes and 8-16 bytes of hash index.
/// Measured with `bytesUsed`: 100 000 names of 11 bytes that are their own reference take 6.1 MB, 20 000 take 1.3 MB;
/// 100 000 Chinese names of 22 bytes with an escaped reference take 11.8 MB.
package struct Listing: Sendable {
    /// Entries left out because their name cannot be one of a file: "/", NUL, "." or ".." after decoding, or over 255
    /// bytes. For the log.
    package internal(set) var skipped = 0

    /// What begins the reference of every entry that does not store its own, e.g. "/pub/d1/".
    private let base: String
    private var rows: [ListingRow] = []
    private var names: [UInt8] = []
    private var references: [UInt8] = []
    private var nameIndex = NameIndex()

    /// The most entries of one listing. A mirror's largest directories have some 100 000.
    package static let maximumCount = 1_000_000
    /// Stored references, in bytes: a page may give every entry a long path with a few bytes of its own.
    private static let maximumReferences = 64 << 20
    /// One reference, in bytes.
    private static let maximumReference = Int(UInt16.max) - 1

    /// The first usable occurrence of a name wins; a later one may give the size or date that the first did not have.
    /// A name that is both file and directory is a directory. Invalid names are counted in `skipped`.
    package init(entries: some Sequence<ListingEntry>) {
        self.init(base: "")
        for entry in entries {
            let row = insert(name: entry.name.bytes, reference: .whole(Array(entry.reference.utf8)), kind: entry.kind)
            if let row { merge(size: entry.size, modified: entry.modified, into: row) }
        }
        trim()
    }

    /// - Parameter base: path of the directory, ending in "/", raw.
    init(base: String) { self.base = base }

    package var count: Int { rows.count }

    package subscript(index: Int) -> ListingEntry {
        let row = rows[index]
        return ListingEntry(
            name: name(at: index), reference: reference(of: row), kind: row.kind, size: row.size, modified: row.modified
        )
    }

    /// Without the rest of the entry.
    package func kind(at index: Int) -> ListingEntry.Kind { rows[index].kind }

    package func name(at index: Int) -> FileName { FileName(bytes: Array(names[rows[index].nameRange])) }

    /// The entry of that name, in constant time; nil if there is none.
    package func index(of name: FileName) -> Int? {
        find(name.bytes, hash: NameIndex.hash(name.bytes))
    }

    /// Memory held, in bytes, unused capacity included.
    package var bytesUsed: Int {
        rows.capacity * MemoryLayout<ListingRow>.stride + names.capacity + references.capacity + nameIndex.bytesUsed
    }

    /// More entries or bytes than a listing may have.
    var isTooLarge: Bool { count > Self.maximumCount || references.count > Self.maximumReferences }

    /// How the reference of an entry is told; the shorter forms cost no memory or little.
    enum Reference {
        /// The listing's base and the name as it is.
        case name
        /// The listing's base and this raw path segment, without a slash at its end.
        case segment([UInt8])
        /// All of it.
        case whole([UInt8])

        /// The listing's base and the raw segment that this name needs in a path.
        static func named(_ name: [UInt8]) -> Reference {
            let segment = PercentEncoding.encodeSegment(name)
            return segment.utf8.elementsEqual(name) ? .name : .segment(Array(segment.utf8))
        }

        /// Bytes to store.
        var length: Int {
            switch self {
            case .name: 0
            case .segment(let bytes), .whole(let bytes): bytes.count
            }
        }
    }

    /// - Returns: the row of that name, new or not; nil if the name is not valid or the reference over 64 KiB (then
    ///   counted).
    mutating func insert(name: [UInt8], reference: Reference, kind: ListingEntry.Kind) -> Int? {
        guard FileName(bytes: name).isValid, reference.length <= Self.maximumReference else {
            skipped += 1
            return nil
        }
        let hash = NameIndex.hash(name)
        if let index = find(name, hash: hash) {
            if kind == .directory, rows[index].kind != .directory {
                rows[index].kind = .directory
                rows[index].size = .unknown
                store(reference, in: index)
            }
            return index
        }
        rows.append(ListingRow(nameRange: names.count..<names.count + name.count, hash: hash, kind: kind))
        names.append(contentsOf: name)
        store(reference, in: rows.count - 1)
        nameIndex.insertLast(of: rows)
        return rows.count - 1
    }

    /// Takes what the entry did not have so far; an exact size beats a rounded one. A directory has no size.
    mutating func merge(size: ListingEntry.Size, modified: Int64?, into index: Int) {
        if rows[index].kind != .directory {
            switch (rows[index].size, size) {
            case (.unknown, _), (.approximate, .exact): rows[index].size = size
            default: break
            }
        }
        if rows[index].modified == nil { rows[index].modified = modified }
    }

    /// Gives back the memory kept for more entries.
    mutating func trim() {
        rows = Self.trimmed(rows)
        names = Self.trimmed(names)
        references = Self.trimmed(references)
    }

    private static func trimmed<Element>(_ array: [Element]) -> [Element] {
        var copy: [Element] = []
        copy.reserveCapacity(array.count)
        copy.append(contentsOf: array)
        return copy
    }

    /// Takes the entries of another page of the same directory.
    mutating func append(contentsOf other: Listing) {
        for index in 0..<other.count {
            let row = other.rows[index]
            let stored = Array(other.references[row.referenceRange])
            let reference: Reference =
                switch row.referenceForm {
                case .name where other.base == base: .name
                case .segment where other.base == base: .segment(stored)
                case .whole: .whole(stored)
                case .name, .segment: .whole(Array(other.reference(of: row).utf8))
                }
            if let own = insert(name: other.name(at: index).bytes, reference: reference, kind: row.kind) {
                merge(size: row.size, modified: row.modified, into: own)
            }
        }
        skipped += other.skipped
    }

    /// Forgets all sizes, and that what has no slash is a file: the server tells neither (it wrote 0 everywhere).
    mutating func distrustFiles() {
        for index in rows.indices where rows[index].kind == .file {
            rows[index].kind = .unknown
            rows[index].size = .unknown
        }
    }

    private mutating func store(_ reference: Reference, in index: Int) {
        switch reference {
        case .name: rows[index].setReference(.name, 0..<0)
        case .segment(let bytes): rows[index].setReference(.segment, append(bytes))
        case .whole(let bytes):
            let lacksSlash = rows[index].kind == .directory && bytes.last != UInt8(ascii: "/")
            rows[index].setReference(.whole, append(lacksSlash ? bytes + [UInt8(ascii: "/")] : bytes))
        }
    }

    private mutating func append(_ reference: [UInt8]) -> Range<Int> {
        references.append(contentsOf: reference)
        return references.count - reference.count..<references.count
    }

    private func reference(of row: ListingRow) -> String {
        let stored = String(decoding: references[row.referenceRange], as: UTF8.self)
        let slash = row.kind == .directory ? "/" : ""
        return switch row.referenceForm {
        case .name: base + String(decoding: names[row.nameRange], as: UTF8.self) + slash
        case .segment: base + stored + slash
        case .whole: stored
        }
    }

    private func find(_ name: [UInt8], hash: UInt32) -> Int? {
        nameIndex.find(hash: hash) { index in
            rows[index].hash == hash && Int(rows[index].nameRange.count) == name.count
                && names[rows[index].nameRange].elementsEqual(name)
        }
    }
}
