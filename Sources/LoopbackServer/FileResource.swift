/// An ordinary file with HEAD, GET and single ranges, and the ways servers get them wrong.
package struct FileResource: Sendable {
    /// What is done with a Range field.
    package enum Ranges: Sendable {
        case honoured
        /// 200 and the whole file, ranges not announced.
        case ignored
        /// Every request with a Range is answered with that status.
        case refused(status: Int)
        /// At most that many bytes are sent, and rightly described.
        case capped(Int64)
        /// 206 with what the closure makes of the range asked for: the bytes to send, and the value of Content-Range (nil: absent).
        case wrong(@Sendable (Range<Int64>) -> (served: Range<Int64>, contentRange: String?))
    }

    package var content: Body
    package var etag: String?
    package var lastModified: String?
    package var contentType: String?
    package var ranges: Ranges
    /// Whether HEAD is answered; otherwise 405.
    package var headAllowed: Bool
    /// Whether If-Match (412) and If-None-Match (304) are evaluated; many servers do not.
    package var conditions: Bool
    package var faults: [Fault]

    /// 6 July 2026 10:00:00 UTC, which is 1783332000 seconds after 1970.
    package static let usualLastModified = "Mon, 06 Jul 2026 10:00:00 GMT"

    package init(
        _ content: Body, etag: String? = "\"e1\"", lastModified: String? = usualLastModified,
        contentType: String? = "application/octet-stream", ranges: Ranges = .honoured, headAllowed: Bool = true,
        conditions: Bool = false, faults: [Fault] = []
    ) {
        self.content = content
        self.etag = etag
        self.lastModified = lastModified
        self.contentType = contentType
        self.ranges = ranges
        self.headAllowed = headAllowed
        self.conditions = conditions
        self.faults = faults
    }

    /// A file of the test pattern.
    package static func pattern(_ size: Int64) -> FileResource { FileResource(.pattern(0..<size)) }

    package var responder: Responder { { request, _ in answer(to: request) } }

    /// A file that may change from request to request, or in the middle of a read.
    package static func changing(_ current: @escaping @Sendable (ServerRequest) -> FileResource) -> Responder {
        { request, _ in current(request).answer(to: request) }
    }

    /// The answer to GET or HEAD.
    package func answer(to request: ServerRequest) -> Answer {
        var answer = plainAnswer(to: request)
        answer.faults = faults
        return answer
    }

    private func plainAnswer(to request: ServerRequest) -> Answer {
        guard request.method == "GET" || request.method == "HEAD" && headAllowed else {
            return Answer(status: 405, headers: [("Allow", headAllowed ? "GET, HEAD" : "GET")])
        }
        if conditions, let refusal = failedCondition(of: request) { return refusal }
        var answer = Answer(headers: commonHeaders, body: content)
        guard request.method == "GET", let field = request.header("range") else { return answer }
        switch ranges {
        case .ignored: return answer
        case .refused(let status): return Answer(status: status)
        case .honoured, .capped, .wrong: break
        }
        switch ByteRange.parse(field, size: content.count) {
        case .whole: return answer
        case .unsatisfiable:
            return Answer(status: 416, headers: [("Content-Range", "bytes */\(content.count)")])
        case .part(let asked):
            var (served, contentRange) = (asked, Optional<String>.none)
            if case .wrong(let change) = ranges {
                (served, contentRange) = change(asked)
            } else {
                if case .capped(let limit) = ranges {
                    served = asked.lowerBound..<min(asked.upperBound, asked.lowerBound + max(1, limit))
                }
                contentRange = "bytes \(served.lowerBound)-\(served.upperBound - 1)/\(content.count)"
            }
            answer.status = 206
            answer.reason = "Partial Content"
            if let contentRange { answer.headers.append(("Content-Range", contentRange)) }
            answer.body = content.part(served.clamped(to: 0..<content.count))
            return answer
        }
    }

    private var commonHeaders: [(String, String)] {
        var headers: [(String, String)] = []
        if case .ignored = ranges {} else { headers.append(("Accept-Ranges", "bytes")) }
        if let etag { headers.append(("ETag", etag)) }
        if let lastModified { headers.append(("Last-Modified", lastModified)) }
        if let contentType { headers.append(("Content-Type", contentType)) }
        return headers
    }

    private func failedCondition(of request: ServerRequest) -> Answer? {
        func lists(_ field: String) -> Bool {
            field == "*" || field.split(separator: ",").contains { $0.drop { $0 == " " } == etag ?? "" }
        }
        if let field = request.header("if-match"), !lists(field) { return Answer(status: 412) }
        if let field = request.header("if-none-match"), lists(field) {
            return Answer(status: 304, headers: commonHeaders)
        }
        return nil
    }
}
