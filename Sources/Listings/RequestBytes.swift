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

    /// A path in which characters were left that have to be encoded in one: "?", "#", and a "%" that begins no `%XX`.
    static func escapedPath(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let percent = UInt8(ascii: "%")
        guard path.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") || $0 == percent }) else {
            return encoded(path)
        }
        var result: [UInt8] = []
        for index in path.indices {
            switch path[index] {
            case UInt8(ascii: "?"): result += "%3F".utf8
            case UInt8(ascii: "#"): result += "%23".utf8
            case percent
            where !path[index...].dropFirst().prefix(2).allSatisfy(isHexDigit) || path.endIndex - index < 3:
                result += "%25".utf8
            case let byte: result.append(byte)
            }
        }
        return encoded(result[...])
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
