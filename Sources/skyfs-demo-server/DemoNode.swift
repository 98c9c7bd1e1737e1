import LoopbackServer
import Platform

/// A file or directory of the sample site.
enum DemoNode: Sendable {
    case file(FileResource)
    case directory(style: HTMLListing.Style, [FileName: DemoNode])

    /// Finds what a request target names, and answers as a server with files on a disk would.
    func answer(to request: ServerRequest) -> Answer {
        let path = request.path
        guard let names = Self.names(ofPath: path) else { return Answer(status: 400) }
        var node = self
        for name in names {
            guard case .directory(_, let children) = node, let child = children[name] else {
                return Answer(status: 404)
            }
            node = child
        }
        switch node {
        case .file(let resource):
            return path.hasSuffix("/") ? Answer(status: 404) : resource.answer(to: request)
        case .directory(let style, let children):
            guard request.method == "GET" || request.method == "HEAD" else { return Answer(status: 405) }
            guard path.hasSuffix("/") else { return Answer(status: 301, headers: [("Location", path + "/")]) }
            let shown = "/" + names.map { "\($0)/" }.joined()
            return HTMLListing(shown, style: style, Self.entries(children)).answer
        }
    }

    /// Directories first, then files, by their bytes.
    private static func entries(_ children: [FileName: DemoNode]) -> [HTMLListing.Entry] {
        children.map { name, node in
            switch node {
            case .file(let resource): .file(name, size: resource.content.count)
            case .directory: .directory(name)
            }
        }.sorted { left, right in
            left.isDirectory == right.isDirectory
                ? left.name.bytes.lexicographicallyPrecedes(right.name.bytes) : left.isDirectory
        }
    }

    /// The decoded parts of a path; nil if one is no valid name.
    private static func names(ofPath path: String) -> [FileName]? {
        var names: [FileName] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            guard let name = decoded(part), name.isValid else { return nil }
            names.append(name)
        }
        return names
    }

    private static func decoded(_ part: Substring.UTF8View) -> FileName? {
        var bytes: [UInt8] = []
        var rest = part[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(Substring(digits), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return FileName(bytes: bytes)
    }
}
