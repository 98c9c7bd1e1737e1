import Glibc

/// Reads a multipart/form-data body as it comes, in constant memory, and refuses whatever no browser would send. Pure.
struct FormReader {
    /// Why a body is no form.
    struct Flaw: Error {
        let words: String
        init(_ words: String) { self.words = words }
    }

    private enum Stage { case start, delimited, head, content, end }

    private static let maximumHead = 16_384
    private static let maximumParts = 1000

    let boundary: String
    /// The parts read to their end, in order.
    private(set) var parts: [FormPart] = []

    private let delimiter: [UInt8]
    private let keeping: Int
    private let digests: Bool
    // So that the first delimiter, at the very start, is one like all others.
    private var buffer: [UInt8] = [13, 10]
    private var stage = Stage.start
    private var part = FormPart(head: "", name: "")
    private var digest = SHA256()

    /// - Parameters:
    ///   - contentType: the value of the request's Content-Type.
    ///   - keeping: how many bytes of each content are kept.
    ///   - digests: whether contents are digested, which costs time.
    init(contentType: String, keeping: Int, digests: Bool) throws(Flaw) {
        let prefix = "multipart/form-data; boundary="
        guard contentType.hasPrefix(prefix) else { throw Flaw("Content-Type is \(contentType)") }
        boundary = String(contentType.dropFirst(prefix.count))
        let isPlain = boundary.utf8.allSatisfy { byte in
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard isPlain, 1...70 ~= boundary.utf8.count else { throw Flaw("the boundary is \(boundary)") }
        delimiter = Array("\r\n--\(boundary)".utf8)
        self.keeping = keeping
        self.digests = digests
    }

    /// Takes the next bytes of the body.
    mutating func take(_ bytes: [UInt8]) throws(Flaw) {
        buffer += bytes
        while try step() {}
    }

    /// The body is over.
    func finish() throws(Flaw) {
        guard stage == .end, buffer.isEmpty else { throw Flaw("the body ends within the form") }
    }

    /// - Returns: whether there may be more to do with the bytes at hand.
    private mutating func step() throws(Flaw) -> Bool {
        switch stage {
        case .start:
            guard buffer.count >= delimiter.count else { return false }
            guard buffer.starts(with: delimiter) else { throw Flaw("the body does not begin with the boundary") }
            buffer.removeFirst(delimiter.count)
            stage = .delimited
        case .delimited:
            if buffer.starts(with: [13, 10]) {
                buffer.removeFirst(2)
                guard parts.count < Self.maximumParts else { throw Flaw("more than \(Self.maximumParts) parts") }
                stage = .head
            } else if buffer.starts(with: Array("--\r\n".utf8)) {
                buffer.removeFirst(4)
                stage = .end
            } else {
                guard buffer.count < 4 else { throw Flaw("neither a part nor the end after the boundary") }
                return false
            }
        case .head:
            guard let end = Self.find([13, 10, 13, 10], in: buffer) else {
                guard buffer.count <= Self.maximumHead else { throw Flaw("a part's head is too long") }
                return false
            }
            part = try FormPart(head: Array(buffer[..<end]))
            guard part.fileName != nil || parts.allSatisfy({ $0.fileName == nil }) else {
                throw Flaw("the field \(part.name) comes after a file")
            }
            digest = SHA256()
            buffer.removeFirst(end + 4)
            stage = .content
        case .content:
            if let end = Self.find(delimiter, in: buffer) {
                add(end)
                buffer.removeFirst(end + delimiter.count)
                if digests { part.sha256 = digest.finish() }
                parts.append(part)
                stage = .delimited
            } else {
                let sure = buffer.count - delimiter.count + 1
                guard sure > 0 else { return false }
                add(sure)
                buffer.removeFirst(sure)
                return false
            }
        case .end:
            guard buffer.isEmpty else { throw Flaw("there are bytes after the form") }
            return false
        }
        return true
    }

    /// The first bytes of the buffer belong to the content.
    private mutating func add(_ count: Int) {
        part.size += Int64(count)
        part.content += buffer[..<min(count, max(0, keeping - part.content.count))]
        guard digests else { return }
        // SAFETY: the buffer is held during the call.
        buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// Where `pattern` begins in `bytes`.
    private static func find(_ pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        // SAFETY: both arrays are held; every comparison stays below `count`.
        bytes.withUnsafeBytes { bytes in
            pattern.withUnsafeBytes { pattern in
                guard let base = bytes.baseAddress, let wanted = pattern.baseAddress else { return nil }
                var start = 0
                while start + pattern.count <= bytes.count {
                    let room = bytes.count - pattern.count - start + 1
                    guard let hit = memchr(base + start, Int32(pattern[0]), room) else { return nil }
                    start = base.distance(to: UnsafeRawPointer(hit))
                    if memcmp(hit, wanted, pattern.count) == 0 { return start }
                    start += 1
                }
                return nil
            }
        }
    }
}
