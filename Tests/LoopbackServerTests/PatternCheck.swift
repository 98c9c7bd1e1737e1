import LoopbackServer

/// Whether these are the pattern's bytes at `range`. A comparison of arrays inside `#expect` would be printed, byte by
/// byte, when it fails, which takes minutes.
func isPattern(_ bytes: [UInt8], _ range: Range<Int64>) -> Bool { bytes == Pattern.bytes(range) }
