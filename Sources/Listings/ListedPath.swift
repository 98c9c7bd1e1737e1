import HTTP

/// The path of the listed directory, to compare links with, however they spell it.
struct ListedPath: Equatable {
    enum Relation: Equatable {
        /// The name, which may have a slash behind it, begins there.
        case child(nameStart: Int)
        case ancestor
        case itself
        case elsewhere
    }

    /// As requested, ending in "/".
    let raw: [UInt8]
    private let canonical: [UInt8]

    init(_ raw: [UInt8]) {
        self.raw = raw
        canonical = Self.canonical(raw[...])
    }

    /// - Parameter path: absolute, without dot segments.
    func relation(of path: [UInt8]) -> Relation {
        let end = path.last == Self.slash ? path.count - 1 : path.count
        let nameStart = (path[..<end].lastIndex(of: Self.slash) ?? -1) + 1
        if nameStart < end, path[..<nameStart].elementsEqual(raw) { return .child(nameStart: nameStart) }
        let parent = Self.canonical(path[..<nameStart])
        if nameStart < end, parent == canonical { return .child(nameStart: nameStart) }
        guard canonical.starts(with: parent) else { return .elsewhere }
        let asDirectory = parent + Self.canonical(path[nameStart..<end]) + [Self.slash]
        guard canonical.starts(with: asDirectory) else { return .elsewhere }
        return asDirectory.count == canonical.count ? .itself : .ancestor
    }

    /// Percent-decoded once, but for "%2F": an encoded slash does not part segments.
    private static func canonical(_ path: ArraySlice<UInt8>) -> [UInt8] {
        guard path.contains(UInt8(ascii: "%")) else { return Array(path) }
        var protected: [UInt8] = []
        protected.reserveCapacity(path.count * 2)
        for index in path.indices {
            protected.append(path[index])
            // "%2F" becomes "%252F" here and "%2F" again by decoding.
            if path[index] == UInt8(ascii: "%"), index + 2 < path.endIndex, path[index + 1] == UInt8(ascii: "2"),
                path[index + 2] | 0x20 == UInt8(ascii: "f")
            {
                protected.append(contentsOf: "25".utf8)
            }
        }
        return PercentEncoding.decode(protected[...])
    }

    private static let slash = UInt8(ascii: "/")
}
