/// What is to be sent for an answer, and how it ends. Pure.
struct AnswerPlan {
    enum Ending { case keepAlive, close, reset, stall }

    var delay = Duration.zero
    var bytesPerSecond: Int64?
    var head: [UInt8]
    var body: Body
    var isChunked = false
    /// How many bytes of the body are sent.
    var length: Int64
    /// Whether the last chunk and with it the end of the body is sent.
    var isComplete: Bool
    var ending: Ending
    var status: Int?

    init(_ answer: Answer, for request: ServerRequest) {
        body = answer.body
        ending = Self.closes(request) ? .close : .keepAlive
        var version = "HTTP/1.1"
        var hasLength = true
        var limit = Int64.max
        var limitedEnding = Ending.close
        for fault in answer.faults {
            switch fault {
            case .delay(let duration): delay = duration
            case .rate(let rate): bytesPerSecond = max(1, rate)
            case .cut(let count): if count < limit { (limit, limitedEnding) = (count, .close) }
            case .stall(let count): if count < limit { (limit, limitedEnding) = (count, .stall) }
            case .resetAfter(let count): if count < limit { (limit, limitedEnding) = (count, .reset) }
            case .noContentLength: (hasLength, ending) = (false, .close)
            case .chunked: (hasLength, isChunked) = (false, true)
            case .http10: (version, ending) = ("HTTP/1.0", .close)
            case .closes: ending = .close
            }
        }
        if let bytes = answer.rawBytes {
            let end = Self.endOfHead(bytes)
            head = Array(bytes[..<end])
            body = .bytes(Array(bytes[end...]))
            isChunked = false
            status = Self.status(ofHead: head)
        } else {
            head = Self.head(answer, version: version, hasLength: hasLength, isChunked: isChunked)
            status = answer.status
        }
        let isBodiless = answer.rawBytes == nil && (request.method == "HEAD" || Self.isBodiless(answer.status))
        if isBodiless {
            body = .empty
            isChunked = false
        }
        if answer.headers.contains(where: { $0.0.lowercased() == "connection" && $0.1.lowercased() == "close" }) {
            ending = .close
        }
        length = min(body.count, max(0, limit))
        // A limit at or past the end still does what it says there, except that a stall then leaves a complete answer.
        isComplete = limit >= body.count
        if limit < .max { ending = limitedEnding }
    }

    private static func head(_ answer: Answer, version: String, hasLength: Bool, isChunked: Bool) -> [UInt8] {
        var text = "\(version) \(answer.status) \(answer.reason)\r\n"
        for (name, value) in answer.headers { text += "\(name): \(value)\r\n" }
        let statesLength = answer.headers.contains {
            ["content-length", "transfer-encoding"].contains($0.0.lowercased())
        }
        if !statesLength, !isBodiless(answer.status) {
            if isChunked {
                text += "Transfer-Encoding: chunked\r\n"
            } else if hasLength {
                text += "Content-Length: \(answer.body.count)\r\n"
            }
        }
        return Array((text + "\r\n").utf8)
    }

    private static func isBodiless(_ status: Int) -> Bool { status == 204 || status == 304 || status / 100 == 1 }

    private static func closes(_ request: ServerRequest) -> Bool {
        let connection = request.header("connection")?.lowercased()
        return connection == "close" || request.version == "HTTP/1.0" && connection != "keep-alive"
    }

    /// Where the body starts: after the first empty line, or at the end if there is none.
    private static func endOfHead(_ bytes: [UInt8]) -> Int {
        var index = 0
        while index + 4 <= bytes.count {
            if bytes[index..<index + 4].elementsEqual([13, 10, 13, 10]) { return index + 4 }
            index += 1
        }
        return bytes.count
    }

    private static func status(ofHead head: [UInt8]) -> Int? {
        let words = String(decoding: head.prefix(64), as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int(words[1].prefix(3)) : nil
    }
}
