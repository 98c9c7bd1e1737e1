import Glibc
import Platform

/// Collects the heads of one try line by line, as libcurl hands them over: interim ones, the one that asked for
/// authentication, then the final one; each status line begins anew. What is kept comes from a stranger and is bounded.
/// `ResponseHead.init` says what it means. Pure.
struct HeadParser {
    /// Bytes of all heads of one try, and their lines: about what browsers accept, and far more than anybody needs.
    static let maximumBytes = 64 * 1024
    static let maximumLines = 256

    private(set) var status = 0
    private var fields: [(name: String, value: String)] = []
    private var bytes = 0
    private var lines = 0
    /// Why the try must end here; nil while all is well.
    private(set) var failure: String?
    /// Whether the empty line at the end of a final (not 1xx) head was seen.
    private(set) var isComplete = false
    /// At the start and after an empty line; elsewhere "HTTP/" begins nothing.
    private var expectsStatusLine = true

    /// One line, with or without its line end.
    mutating func add(_ line: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        bytes += line.count
        lines += 1
        guard bytes <= Self.maximumBytes, lines <= Self.maximumLines else {
            failure = "the head is too large"
            return
        }
        var line = line[...]
        while let last = line.last, last == 0x0D || last == 0x0A { line = line.dropLast() }
        if expectsStatusLine, line.starts(with: "HTTP/".utf8) {
            begin(line)
        } else if line.isEmpty {
            isComplete = status >= 200
            expectsStatusLine = true
        } else if !isComplete {
            field(line)
        }
    }

    private mutating func begin(_ line: Slice<UnsafeRawBufferPointer>) {
        fields = []
        isComplete = false
        expectsStatusLine = false
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count > 1, words[1].count == 3, let status = Int(String(decoding: words[1], as: UTF8.self)),
            100...999 ~= status
        else {
            failure = "the status line cannot be read"
            return
        }
        self.status = status
    }

    /// Lines that are no field (no colon, a name that is no token) are passed over, as libcurl does.
    private mutating func field(_ line: Slice<UnsafeRawBufferPointer>) {
        if line.first == 0x20 || line.first == 0x09 {
            // Obsolete line folding (RFC 9112, 5.2): the value goes on.
            guard let last = fields.indices.last else { return }
            fields[last].value += " " + Self.text(line)
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(Self.isTokenCharacter)
        else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        fields.append((name, Self.text(line[(colon + 1)...])))
    }

    /// RFC 9110, 5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Without the white space around it. Header text is UTF-8 or, failing that, Latin-1 (RFC 9110, 5.5).
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        var trimmed = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = trimmed.last, last == 0x20 || last == 0x09 { trimmed = trimmed.dropLast() }
        if let text = String(validating: trimmed, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(trimmed.map { Unicode.Scalar($0) }))
    }

    /// The values of all fields of that name (lower case), in order.
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
    /// The last of them.
    func value(_ name: String) -> String? { fields.last { $0.name == name }?.value }
    /// The members of a comma-separated list over all fields of that name, without empty ones.
    func list(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",") }
            .map { String($0.trimming { $0 == " " || $0 == "\t" }) }
            .filter { !$0.isEmpty }
    }
}

extension Substring {
    /// Without the characters at both ends that satisfy.
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        var rest = drop(while: isTrimmed)
        while let last = rest.last, isTrimmed(last) { rest = rest.dropLast() }
        return rest
    }
}
