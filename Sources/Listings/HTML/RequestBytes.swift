/// Which bytes of a link go into a request line as they are.
enum RequestBytes {
    /// All but controls, the blank and what is not ASCII. Nothing else is touched: servers compare spellings.
    static func mayStandRaw(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

    /// The other bytes become "%XX", each as served.
    static func encoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if mayStandRaw(byte) {
                result.append(byte)
            } else {
                result.append(UInt8(ascii: "%"))
                result.append(digits[Int(byte >> 4)])
                result.append(digits[Int(byte & 15)])
            }
        }
        return result
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
