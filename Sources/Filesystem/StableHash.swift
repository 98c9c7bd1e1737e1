/// FNV-1a, 64 bit: the same text gives the same number in every process, as inode numbers need.
/// (Constants: RFC 9923 and Fowler, Noll, Vo.) Not for hostile keys of a table.
struct StableHash {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    mutating func add(_ number: Int64) {
        var rest = UInt64(bitPattern: number)
        for _ in 0..<8 {
            value = (value ^ (rest & 0xff)) &* 0x100_0000_01b3
            rest >>= 8
        }
    }

    /// Usable as an inode number: never 0 (no inode) or 1 (often taken for a root).
    var inode: UInt64 { value > 1 ? value : value + 2 }
}
