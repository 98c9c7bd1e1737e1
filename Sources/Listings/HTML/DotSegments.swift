/// "." and ".." in a path (RFC 3986, 5.2.4).
enum DotSegments {
    /// - Parameter path: begins with "/".
    static func removed(from path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let dot = UInt8(ascii: ".")
        guard path.contains(dot) else { return path }
        var result: [UInt8] = []
        result.reserveCapacity(path.count)
        let segments = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isDot = segment.elementsEqual([dot])
            let isDoubleDot = segment.elementsEqual([dot, dot])
            if isDoubleDot { result.removeLast(result.count - (result.lastIndex(of: slash) ?? 0)) }
            if !isDot, !isDoubleDot {
                result.append(slash)
                result.append(contentsOf: segment)
            } else if index == segments.count - 1 {
                result.append(slash)
            }
        }
        return result
    }
}
