import HTTP
import Platform

/// Turns the links of one listing into names and request references: direct children of the directory, nothing else.
struct LinkResolver {
    enum Link {
        case child(name: FileName, reference: String, isDirectory: Bool)
        /// The listing's own parent or another ancestor: a sign of a listing, not an entry.
        case ancestor
        /// A child whose name cannot be shown (over 255 bytes, "/", NUL).
        case unusable
        case other
    }

    /// The final URL of the listing; "/" at its end is implied.
    private let directory: HTTPURL
    private let directoryPath: [UInt8]
    /// What relative links are relative to.
    private let base: HTTPURL
    private let isBaseDirectory: Bool
    private let allowsExternalLinks: Bool
    /// For names that are not UTF-8: whether each byte is one Latin-1 character.
    private let isSingleByte: Bool

    init(url: HTTPURL, base: [UInt8]?, charset: String?, allowsExternalLinks: Bool) {
        let path = url.path.lastIndex(of: "/").map { String(url.path[...$0]) } ?? "/"
        let listed = url.isDirectory ? url.path : url.path + "/"
        directory = url.replacing(path: listed)
        directoryPath = PercentEncoding.decode(Array(listed.utf8))
        let document = url.replacing(path: path)
        self.base = base.flatMap { document.resolving(Self.requestable($0)) } ?? document
        isBaseDirectory = self.base == directory
        self.allowsExternalLinks = allowsExternalLinks
        isSingleByte = ["iso-8859-1", "latin1", "iso-8859-15", "windows-1252", "us-ascii"].contains(charset ?? "")
    }

    func resolve(_ href: [UInt8]) -> Link {
        let href = href.trimmingBlanks
        guard let first = href.first, first != UInt8(ascii: "#"), first != UInt8(ascii: "?") else { return .other }
        var path = href[...]
        if let fragment = path.firstIndex(of: UInt8(ascii: "#")) { path = path[..<fragment] }
        guard !path.contains(UInt8(ascii: "?")) else { return .other }
        if isBaseDirectory, let link = plainChild(path) { return link }
        guard let target = base.resolving(Self.requestable(path)), target.query == nil else { return .other }
        guard target.origin == directory.origin else {
            return allowsExternalLinks && !target.isDirectory ? external(target) : .other
        }
        return child(of: target)
    }

    /// The usual link: one relative segment, perhaps with "/" at its end. Needs no URL parser.
    private func plainChild(_ path: ArraySlice<UInt8>) -> Link? {
        var segment = path
        if segment.count > 2, segment.starts(with: [UInt8(ascii: "."), UInt8(ascii: "/")]) {
            segment = segment.dropFirst(2)
        }
        let isDirectory = segment.last == UInt8(ascii: "/")
        if isDirectory { segment = segment.dropLast() }
        guard !segment.isEmpty,
            !segment.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\\") })
        else { return nil }
        if segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) { return nil }
        return child(segment: segment, isDirectory: isDirectory)
    }

    private func child(of target: HTTPURL) -> Link {
        let path = PercentEncoding.decode(Array(target.path.utf8))
        if directoryPath.starts(with: path) || path + [UInt8(ascii: "/")] == directoryPath { return .ancestor }
        let prefix = directory.path.utf8
        guard target.path.utf8.count > prefix.count else { return .other }
        // Compared decoded: servers differ in what they escape.
        var rest = Array(target.path.utf8)[...]
        guard let start = Self.suffix(of: rest, afterDecoded: directoryPath) else { return .other }
        rest = rest[start...]
        let isDirectory = rest.last == UInt8(ascii: "/")
        if isDirectory { rest = rest.dropLast() }
        guard !rest.isEmpty, !rest.contains(UInt8(ascii: "/")) else { return .other }
        return child(segment: rest, isDirectory: isDirectory)
    }

    /// Where the raw path goes on after the part that decodes to `directory`.
    private static func suffix(of path: ArraySlice<UInt8>, afterDecoded directory: [UInt8]) -> Int? {
        var slashes = directory.count { $0 == UInt8(ascii: "/") }
        for index in path.indices where path[index] == UInt8(ascii: "/") {
            slashes -= 1
            if slashes == 0 { return PercentEncoding.decode(path[...index]) == directory ? index + 1 : nil }
        }
        return nil
    }

    private func child(segment: ArraySlice<UInt8>, isDirectory: Bool) -> Link {
        let decoded = PercentEncoding.decode(segment)
        if decoded.elementsEqual(".".utf8) || decoded.elementsEqual("..".utf8) { return .other }
        let name = FileName(bytes: shown(decoded))
        guard name.isValid else { return .unusable }
        let reference = directory.path + Self.requestable(segment) + (isDirectory ? "/" : "")
        return .child(name: name, reference: reference, isDirectory: isDirectory)
    }

    private func external(_ target: HTTPURL) -> Link {
        guard let name = target.lastComponent else { return .unusable }
        return .child(name: name, reference: target.text, isDirectory: false)
    }

    private func shown(_ name: [UInt8]) -> [UInt8] {
        guard isSingleByte, String(validating: name, as: UTF8.self) == nil else { return name }
        return Array(String(String.UnicodeScalarView(name.map { Unicode.Scalar($0) })).utf8)
    }

    /// What may not stand raw in a request line (controls, blanks, non-ASCII) is escaped byte for byte, as served.
    private static func requestable(_ bytes: some Collection<UInt8>) -> String {
        if bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return String(decoding: bytes, as: UTF8.self) }
        return bytes.reduce(into: "") { text, byte in
            if byte > 0x20 && byte < 0x7F {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += PercentEncoding.encodeSegment([byte])
            }
        }
    }
}

extension [UInt8] {
    /// Without the white space that HTML allows around a URL.
    fileprivate var trimmingBlanks: [UInt8] {
        let blanks: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20]
        guard let first = first, let last = last, blanks.contains(first) || blanks.contains(last) else { return self }
        return Array(drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
    }
}
