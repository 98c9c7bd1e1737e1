/// One answer, good or faulty, as a responder gives it.
package struct Answer: Sendable {
    package var status: Int
    package var reason: String
    /// Sent as they are. A length that stands here is not corrected, so heads can be broken on purpose.
    package var headers: [(String, String)]
    package var body: Body
    package var faults: [Fault]
    /// Sent instead of head and body, to the byte; of the faults `delay`, `rate`, the cuts and `closes` still count.
    package var rawBytes: [UInt8]?

    /// - Parameter reason: the words for the status; by default the usual ones.
    package init(
        status: Int = 200, reason: String? = nil, headers: [(String, String)] = [], body: Body = .empty,
        faults: [Fault] = []
    ) {
        self.status = status
        self.reason = reason ?? Self.usualReason(status)
        self.headers = headers
        self.body = body
        self.faults = faults
    }

    /// Exact bytes from the status line on. The connection stays open afterwards unless a fault closes it.
    package static func raw(_ bytes: [UInt8], faults: [Fault] = []) -> Answer {
        var answer = Answer(status: 0, reason: "", faults: faults)
        answer.rawBytes = bytes
        return answer
    }

    package static func raw(_ text: String, faults: [Fault] = []) -> Answer { raw(Array(text.utf8), faults: faults) }

    package static func html(_ text: String, faults: [Fault] = []) -> Answer {
        Answer(headers: [("Content-Type", "text/html; charset=utf-8")], body: .text(text), faults: faults)
    }

    /// The same answer with more faults.
    package func with(_ faults: Fault...) -> Answer {
        var answer = self
        answer.faults += faults
        return answer
    }

    /// The same answer with one more header field.
    package func header(_ name: String, _ value: String) -> Answer {
        var answer = self
        answer.headers.append((name, value))
        return answer
    }

    private static func usualReason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 206: "Partial Content"
        case 207: "Multi-Status"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 416: "Range Not Satisfiable"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Status"
        }
    }
}
