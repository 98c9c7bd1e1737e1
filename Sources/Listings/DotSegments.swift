/// "." and ".." in a path (RFC 3986, 5.2.4).
enum DotSegments {
    /// - Parameters:
    ///   - path: raw, relative: does not begin with "/".
    ///   - base: begins and ends with "/", has no dot segments.
    /// - Returns: an absolute path without dot segments.
    static func appending(_ path: ArraySlice<UInt8>, to base: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var result = base
        var rest = path
        while !rest.isEmpty {
            let end = rest.firstIndex(of: slash) ?? rest.endIndex
            let segment = rest[..<end]
            let hasSlash = end < rest.endIndex
            if segment.elementsEqual("..".utf8) {
                let parent = result.dropLast().lastIndex(of: slash) ?? 0
                result.removeSubrange((parent + 1)...)
            } else if !segment.elementsEqual(".".utf8) {
                result.append(contentsOf: segment)
                if hasSlash { result.append(slash) }
            }
            rest = hasSlash ? rest[(end + 1)...] : []
        }
        return result
    }
}
