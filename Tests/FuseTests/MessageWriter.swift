/// Bytes of one protocol message, written front to back in the machine's byte order, as linux/fuse.h lays them out.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number) { bytes += $0 }
    }

    mutating func put(_ text: String) { bytes += Array(text.utf8) + [0] }

    static func of(_ build: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter()
        build(&writer)
        return writer.bytes
    }
}

extension [UInt8] {
    /// The number at a byte offset.
    func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
}
