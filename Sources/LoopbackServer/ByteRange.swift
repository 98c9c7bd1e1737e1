/// The value of a Range field with one range of bytes. Pure.
enum ByteRange: Equatable {
    /// The field asks for no single range of bytes and is ignored, as the standard says.
    case whole
    case unsatisfiable
    case part(Range<Int64>)

    static func parse(_ field: String, size: Int64) -> ByteRange {
        guard field.hasPrefix("bytes=") else { return .whole }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, !(ends[0].isEmpty && ends[1].isEmpty) else { return .whole }
        if ends[0].isEmpty {
            guard let length = number(ends[1]) else { return .whole }
            return length == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - length)..<size)
        }
        guard let first = number(ends[0]), ends[1].isEmpty || number(ends[1]) != nil else { return .whole }
        let last = min(number(ends[1]) ?? .max, size - 1)
        return first <= last ? .part(first..<last + 1) : .unsatisfiable
    }

    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(digits) : nil
    }
}
