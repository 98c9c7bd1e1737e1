import HTTP
package import Platform

/// A list of names for resources anywhere, as a tree of directories: one `NAME<TAB>URL` or plain `URL` a line.
///
/// A name may hold "/", which makes directories; a plain URL is named by its last segment. A URL that ends in "/" is a
/// directory. Empty lines and lines that begin with "#" say nothing.
package struct Manifest: Sendable {
    /// By path: "" for the root, else without slashes at its ends.
    private var directories: [FilePath: [ListingEntry]] = [FilePath(): []]
    /// The line of each name.
    private var lines: [FilePath: Int] = [:]

    /// Names from the root down.
    private typealias FilePath = [FileName]

    private static let maximumSize = 64 << 20
    /// Directories within each other.
    private static let maximumDepth = 64

    /// - Parameter text: the file's bytes, UTF-8.
    package init(_ text: [UInt8]) throws(ManifestError) {
        guard text.count <= Self.maximumSize else { throw ManifestError(line: 0, reason: "over 64 MiB") }
        let body = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text[...]
        for (index, line) in body.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = line.last == 0x0D ? line.dropLast() : line
            guard line.contains(where: { $0 != 0x20 && $0 != 0x09 }), line.first != UInt8(ascii: "#") else { continue }
            do throws(ManifestError.Reason) {
                try add(line, number: index + 1)
            } catch {
                throw ManifestError(line: index + 1, reason: error.words)
            }
        }
    }

    /// The directories, the root (no names) among them.
    package var paths: some Collection<[FileName]> { directories.keys }

    /// The entries of one directory. References are whole URLs, but for directories that the manifest's own names make:
    /// those have their path, "/a/b/", in it.
    /// - Returns: nil if the manifest makes no such directory.
    package func listing(of path: [FileName]) -> Listing? { directories[path].map { Listing(entries: $0) } }

    private mutating func add(_ line: ArraySlice<UInt8>, number: Int) throws(ManifestError.Reason) {
        let tab = line.firstIndex(of: 0x09)
        guard let text = String(validating: tab.map { line[($0 + 1)...] } ?? line, as: UTF8.self) else {
            throw ManifestError.Reason(words: "its URL is not UTF-8")
        }
        let url: HTTPURL
        do throws(URLError) {
            let (parsed, credentials) = try HTTPURL.parse(text.trimmingBlanks)
            guard credentials == nil else { throw .malformed("user name and password belong into ~/.netrc") }
            url = parsed
        } catch {
            throw ManifestError.Reason(words: "its URL cannot be used: \(error)")
        }
        var path: FilePath
        if let tab {
            path = line[..<tab].split(separator: UInt8(ascii: "/")).map { FileName(bytes: Array($0)) }
        } else {
            path = [url.lastComponent ?? FileName(url.origin.host)]
        }
        guard let name = path.popLast(), name.isValid, path.allSatisfy(\.isValid) else {
            throw ManifestError.Reason(words: "its name cannot be one of a file")
        }
        guard path.count <= Self.maximumDepth else { throw ManifestError.Reason(words: "its name is too deep") }
        try makeDirectories(path, line: number)
        let kind: ListingEntry.Kind = url.isDirectory && url.query == nil ? .directory : .file
        try insert(ListingEntry(name: name, reference: url.text, kind: kind), in: path, line: number)
    }

    private mutating func makeDirectories(_ path: FilePath, line: Int) throws(ManifestError.Reason) {
        for end in path.indices {
            let directory = Array(path[...end])
            guard directories[directory] == nil else { continue }
            let reference = directory.map { "/" + PercentEncoding.encodeSegment($0.bytes) }.joined() + "/"
            let entry = ListingEntry(name: path[end], reference: reference, kind: .directory)
            try insert(entry, in: Array(path[..<end]), line: line)
            directories[directory] = []
        }
    }

    private mutating func insert(
        _ entry: ListingEntry, in directory: FilePath, line: Int
    ) throws(ManifestError.Reason) {
        let path = directory + [entry.name]
        if let other = lines[path] {
            throw ManifestError.Reason(
                words: "line \(other) has the name \(DisplayText.sanitized("\(entry.name)")) too")
        }
        lines[path] = line
        directories[directory, default: []].append(entry)
    }
}

/// What is wrong with a manifest, for its author.
package struct ManifestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1; 0: the whole file.
    package let line: Int
    package let reason: String

    package var description: String { line == 0 ? reason : "line \(line): \(reason)" }

    struct Reason: Error { let words: String }
}

extension String {
    fileprivate var trimmingBlanks: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = utf8.drop(while: isBlank)
        guard let end = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(start[...end]) ?? ""
    }
}
