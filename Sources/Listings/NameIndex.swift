/// Hash index from names to rows: open addressing with linear probing, 4 bytes a slot, at most half full.
struct NameIndex: Sendable {
    /// Row + 1; 0 is a free slot. The count is a power of two.
    private var slots: [UInt32] = []

    /// Seeded anew in every process (SipHash), so that a server cannot choose names that collide.
    static func hash(_ name: [UInt8]) -> UInt32 {
        var hasher = Hasher()
        name.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    var bytesUsed: Int { slots.capacity * MemoryLayout<UInt32>.stride }

    /// The first row with that hash for which `isMatch` holds.
    func find(hash: UInt32, isMatch: (Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let row = Int(slots[slot]) - 1
            if isMatch(row) { return row }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds the last of `rows`, whose name is not in the index yet.
    mutating func insertLast(of rows: [ListingRow]) {
        if rows.count * 2 > slots.count {
            slots = Array(repeating: 0, count: max(16, slots.count * 2))
            for row in rows.indices { place(row, hash: rows[row].hash) }
        } else {
            place(rows.count - 1, hash: rows[rows.count - 1].hash)
        }
    }

    private mutating func place(_ row: Int, hash: UInt32) {
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(row + 1)
    }
}
