extension ArraySlice<UInt8> {
    /// Without the ASCII white space at both ends.
    var trimmed: ArraySlice<UInt8> {
        var rest = drop(while: Self.isBlank)
        while let last = rest.last, Self.isBlank(last) { rest.removeLast() }
        return rest
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
