import CCurl
import Glibc
import Platform

/// Reads the head of an answer line by line, as libcurl hands it over, and checks what it says. Everything here comes from
/// a stranger. Pure but for the clock that judges dates.
struct HeadParser {
    /// Bytes of one head, and its lines.
    static let maximumBytes = 64 * 1024
    static let maximumLines = 256
    /// A year, in seconds.
    private static let longestFreshness: Int64 = 31_536_000

    private(set) var status = 0
    private var fields: [(name: String, value: String)] = []
    private var bytes = 0
    private(set) var failure: String?
    /// Whether the empty line at the end of a final (not 1xx) head was seen.
    private(set) var isComplete = false
    /// At the start and after an empty line; elsewhere "HTTP/" begins nothing.
    private var expectsStatusLine = true

    /// One line with or without its line end. A status line begins a new head.
    mutating func add(_ line: UnsafeRawBufferPointer) {
        var line = line[...]
        while let last = line.last, last == 0x0D || last == 0x0A { line = line.dropLast() }
        if expectsStatusLine, line.starts(with: "HTTP/".utf8) { return begin(line) }
        if line.isEmpty {
            isComplete = status >= 200
            expectsStatusLine = true
            return
        }
        bytes += line.count
        guard bytes <= Self.maximumBytes, fields.count < Self.maximumLines else {
            failure = "the head is too large"
            return
        }
        if let first = line.first, first == 0x20 || first == 0x09 {
            // A folded line goes on with the field before it (RFC 9112, 5.2).
            if !fields.isEmpty { fields[fields.count - 1].value += " " + Self.text(line) }
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        fields.append((name, Self.text(line[(colon + 1)...])))
    }

    private mutating func begin(_ line: Slice<UnsafeRawBufferPointer>) {
        self = HeadParser()
        expectsStatusLine = false
        bytes = line.count
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count > 1, let status = Int(String(decoding: words[1], as: UTF8.self)), 100...999 ~= status else {
            failure = "the status line cannot be read"
            return
        }
        self.status = status
    }

    /// Header text is UTF-8 or, failing that, Latin-1 (RFC 9110, 5.5).
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let trimmed = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        if let text = String(validating: trimmed, as: UTF8.self) { return text.trimmingEnd() }
        return String(String.UnicodeScalarView(trimmed.map { Unicode.Scalar($0) })).trimmingEnd()
    }

    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
    func value(_ name: String) -> String? { fields.last { $0.name == name }?.value }

    /// - Parameter now: seconds since 1970, to judge dates.
    func head(url: HTTPURL, now: Int64) throws(TransferError) -> ResponseHead {
        if let failure { throw .badHead(failure) }
        guard status > 0 else { throw .badHead("there is no status line") }
        var head = ResponseHead(status: status, url: url)
        head.contentLength = try contentLength()
        head.contentRange = contentRange
        head.entityTag = value("etag").flatMap { EntityTag(header: $0) }
        head.date = value("date").flatMap(HTTPDate.parse)
        head.lastModified = value("last-modified").flatMap(HTTPDate.parse).flatMap { date in
            (86_400...now + 86_400).contains(date) ? date : nil
        }
        head.acceptsRanges = value("accept-ranges").map { $0.lowercased().contains("bytes") }
        head.contentEncodings = Self.listItems(values("content-encoding")).map { $0.lowercased() }
            .filter { $0 != "identity" }
        let type = value("content-type").map(HeaderParameters.init)
        head.mediaType = type.map { $0.value.lowercased() }
        head.charset = type?["charset"]?.lowercased()
        head.suggestedName = value("content-disposition").flatMap { HeaderParameters($0).fileName }
        head.retryAfter = value("retry-after").flatMap { retryAfter($0, now: now) }
        let control = values("cache-control").joined(separator: ",").lowercased()
        head.isNoStore = control.contains("no-store")
        head.freshness = freshness(control, date: head.date ?? now)
        return head
    }

    /// The one agreed length. RFC 9112, 6.3: several different ones, or one that is no number, make the message unusable.
    private func contentLength() throws(TransferError) -> Int64? {
        if values("transfer-encoding").contains(where: { $0.lowercased().contains("chunked") }) { return nil }
        let texts = Set(Self.listItems(values("content-length")))
        guard let text = texts.first else {
            if values("content-length").isEmpty { return nil }
            throw .badHead("Content-Length is empty")
        }
        guard texts.count == 1 else { throw .badHead("contradictory Content-Length") }
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let length = Int64(text) else {
            throw .badHead("Content-Length is not a number")
        }
        return length
    }

    /// The members of a comma-separated list, over all lines of the field.
    private static func listItems(_ lines: [String]) -> [String] {
        lines.flatMap { line in
            line.split(separator: ",").map { item in String(item.drop { $0 == " " || $0 == "\t" }).trimmingEnd() }
        }
        .filter { !$0.isEmpty }
    }

    private var contentRange: ContentRange {
        let texts = Set(values("content-range"))
        guard let text = texts.first else { return .absent }
        return texts.count == 1 ? ContentRange(header: text) : .invalid
    }

    private func retryAfter(_ text: String, now: Int64) -> Duration? {
        if let seconds = Self.seconds(text[...]) { return .seconds(min(seconds, 3600)) }
        return HTTPDate.parse(text).map { .seconds(min(max($0 - now, 0), 3600)) }
    }

    /// A count of seconds; one too large for a number is the largest (RFC 9111, 1.2.2).
    private static func seconds(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text) ?? .max
    }

    private func freshness(_ control: String, date: Int64) -> Duration? {
        if control.contains("no-cache") || control.contains("no-store") { return .zero }
        for directive in control.split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
            if parts.count == 2, parts[0] == "max-age", let seconds = Self.seconds(parts[1][...]) {
                return .seconds(min(seconds, Self.longestFreshness))
            }
        }
        guard let expires = value("expires") else { return nil }
        // What is no date, "0" above all, has expired (RFC 9111, 5.3).
        return HTTPDate.parse(expires).map { .seconds(min(max($0 - date, 0), Self.longestFreshness)) } ?? .zero
    }
}

extension String {
    fileprivate func trimmingEnd() -> String {
        var view = self[...]
        while let last = view.last, last == " " || last == "\t" { view = view.dropLast() }
        return String(view)
    }
}
