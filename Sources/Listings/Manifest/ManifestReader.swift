import HTTP
import Platform

/// Reads a manifest line by line.
struct ManifestReader {
    /// Names from the root down.
    private typealias Path = [FileName]

    private(set) var directories: [[FileName]: Listing] = [[]: Listing(base: "/")]
    /// Where each name stands.
    private var lines: [Path: Int] = [:]
    private var line = 0

    /// Bytes; some 200 000 lines.
    private static let maximumSize = 16 << 20
    /// Directories within each other.
    private static let maximumDepth = 64

    mutating func read(_ text: [UInt8]) throws(ManifestError) {
        guard text.count <= Self.maximumSize else {
            throw ManifestError(line: nil, reason: "over \(Self.maximumSize >> 20) MiB")
        }
        let body = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text[...]
        for text in body.split(separator: 0x0A, omittingEmptySubsequences: false) {
            line += 1
            let text = text.last == 0x0D ? text.dropLast() : text
            if !text.trimmed.isEmpty, text.first != UInt8(ascii: "#") { try add(text) }
        }
    }

    private mutating func add(_ text: ArraySlice<UInt8>) throws(ManifestError) {
        let tab = text.firstIndex(of: 0x09)
        let url = try url(tab.map { text[($0 + 1)...] } ?? text)
        var path: Path
        if let tab {
            path = text[..<tab].split(separator: UInt8(ascii: "/")).map { FileName(bytes: Array($0)) }
        } else {
            path = [url.lastComponent ?? FileName(url.origin.host)]
        }
        guard path.allSatisfy(\.isValid), let name = path.popLast() else {
            throw failure("its name cannot be one of a file")
        }
        guard path.count <= Self.maximumDepth else { throw failure("its name is too deep") }
        try makeDirectories(path)
        let kind: ListingEntry.Kind = url.isDirectory && url.query == nil ? .directory : .file
        try insert(name, url.text, kind, in: path)
    }

    private func url(_ text: ArraySlice<UInt8>) throws(ManifestError) -> HTTPURL {
        guard let text = String(validating: text.trimmed, as: UTF8.self) else { throw failure("its URL is not UTF-8") }
        do throws(URLError) {
            let (url, credentials) = try HTTPURL.parse(text)
            guard credentials == nil else { throw .malformed("user name and password belong into ~/.netrc") }
            return url
        } catch {
            throw failure("its URL cannot be used: \(error)")
        }
    }

    private mutating func makeDirectories(_ path: Path) throws(ManifestError) {
        for end in path.indices {
            let directory = Array(path[...end])
            guard directories[directory] == nil else { continue }
            let reference = directory.map { "/" + PercentEncoding.encodeSegment($0.bytes) }.joined() + "/"
            try insert(path[end], reference, .directory, in: Array(path[..<end]))
            directories[directory] = Listing(base: "/")
        }
    }

    private mutating func insert(
        _ name: FileName, _ reference: String, _ kind: ListingEntry.Kind, in directory: Path
    ) throws(ManifestError) {
        let path = directory + [name]
        if let other = lines[path] { throw failure("line \(other) has the name \(name) too") }
        lines[path] = line
        let row = directories[directory]?.insert(name: name.bytes, reference: .whole(Array(reference.utf8)), kind: kind)
        guard row != nil else { throw failure("its URL is too long") }
    }

    private func failure(_ reason: String) -> ManifestError {
        ManifestError(line: line, reason: DisplayText.sanitized(reason))
    }
}
