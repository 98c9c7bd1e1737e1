import Platform

/// Sends one planned answer and keeps its log entry: an entry is complete before the answer's last bytes leave.
struct AnswerWriter {
    /// The most that may be on its way to the peer, unlogged as a whole, when the end of a body is announced.
    static let lastPiece: Int64 = 65_536

    let connection: ServerConnection
    let log: RequestLog
    let entry: RequestLog.Entry

    /// - Returns: whether the connection may carry another request.
    /// - Throws: when the peer is gone or the server stops.
    func send(_ plan: AnswerPlan) throws(Errno) -> Bool {
        if plan.delay > .zero, connection.waitForClose(atMost: plan.delay) { throw .notConnected }
        log.setStatus(entry, plan.status)
        let hasMore = plan.length > 0 || plan.isChunked && plan.isComplete
        if !hasMore { end(plan) }
        try connection.write(plan.head, moreFollows: hasMore)
        try sendBody(plan)
        switch plan.ending {
        case .keepAlive: return true
        case .close: break
        case .reset: connection.reset()
        case .stall: connection.waitForClose(atMost: .seconds(86_400))
        }
        return false
    }

    private func sendBody(_ plan: AnswerPlan) throws(Errno) {
        let start = Instant.now()
        var position: Int64 = 0
        while position < plan.length {
            let rest = plan.length - position
            var size = rest > Self.lastPiece ? rest - Self.lastPiece : rest
            if let rate = plan.bytesPerSecond {
                size = min(size, max(1, rate / 50))
                let due = start + .nanoseconds(Int64(Double(position) / Double(rate) * 1e9))
                if connection.waitForClose(atMost: due - Instant.now()) { throw .notConnected }
            }
            let range = position..<position + size
            // The closure is generic over its error, and `rethrows` does not carry a typed one.
            let result = plan.body.withPiece(range) { piece -> Result<Int, Errno> in
                let isLast = position + Int64(piece.count) == plan.length
                do throws(Errno) {
                    try sendPiece(piece, isLast: isLast, of: plan)
                    return .success(piece.count)
                } catch {
                    return .failure(error)
                }
            }
            position += Int64(try result.get())
        }
        if plan.isChunked, plan.isComplete, plan.length == 0 {
            end(plan)
            try connection.write(Array("0\r\n\r\n".utf8))
        }
    }

    // SAFETY: `piece` is lent by `Body.withPiece` for the time of this call and not kept.
    private func sendPiece(_ piece: UnsafeRawBufferPointer, isLast: Bool, of plan: AnswerPlan) throws(Errno) {
        if plan.isChunked {
            try connection.write(Array("\(String(piece.count, radix: 16))\r\n".utf8), moreFollows: true)
        }
        if isLast {
            log.addBytes(entry, piece.count)
            end(plan)
        }
        do throws(Errno) {
            try connection.write(piece, moreFollows: plan.isChunked && plan.isComplete)
        } catch {
            if isLast { log.addBytes(entry, -piece.count) }
            throw error
        }
        if !isLast { log.addBytes(entry, piece.count) }
        if plan.isChunked { try connection.write(Array((isLast && plan.isComplete ? "\r\n0\r\n\r\n" : "\r\n").utf8)) }
    }

    private func end(_ plan: AnswerPlan) {
        // A stalled request stays under way until its connection ends.
        if plan.ending != .stall { log.end(entry) }
    }
}
