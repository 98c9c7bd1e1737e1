@testable import HTTP

/// Feeds the lines of `text` as libcurl hands them over; LF stands for CRLF, and the empty line at the end is added.
func parser(_ text: String, isComplete: Bool = true) -> HeadParser {
    var parser = HeadParser()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for line in isComplete ? lines + [""] : lines { parser.add(line) }
    return parser
}

extension HeadParser {
    mutating func add(_ line: String) { add(Array("\(line)\r\n".utf8)) }

    mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }
}

/// 6 July 2026 10:00:00 UTC.
let july2026: Int64 = 1_783_332_000

/// The head of a 200 with these fields.
func head(_ fields: String, now: Int64 = july2026) throws(TransferError) -> ResponseHead {
    let url = try? HTTPURL.parse("http://127.0.0.1/f").url
    guard let url else { throw .other("URL") }
    return try ResponseHead(
        parser(fields.isEmpty ? "HTTP/1.1 200 OK" : "HTTP/1.1 200 OK\n\(fields)"), url: url, now: now)
}

extension TransferError {
    var isBadHead: Bool { if case .badHead = self { true } else { false } }
}
