import Platform

/// Reads the requests of one connection, also pipelined ones, within fixed limits.
final class RequestReader {
    enum Failure: Error {
        /// The connection ended; nothing can be answered.
        case closed
        /// Answered with that status, then the connection is closed.
        case refused(status: Int)
    }

    static let maximumHead = 65_536
    static let maximumBody = 256 << 20

    private let connection: ServerConnection
    private var buffer: [UInt8] = []
    private var start = 0

    init(_ connection: ServerConnection) { self.connection = connection }

    /// Waits for the next head.
    func readHead() throws(Failure) -> ServerRequest {
        var searched = start
        while true {
            // The empty line may begin in the last three bytes of what was searched before.
            if let end = endOfHead(from: max(start, searched - 3)) {
                let head = buffer[start..<end]
                start = end + 4
                guard let request = ServerRequest(head: head) else { throw .refused(status: 400) }
                return request
            }
            searched = buffer.count
            if buffer.count - start > Self.maximumHead { throw .refused(status: 431) }
            let count = buffer.count - start
            try receive()
            // Receiving moves what is left to the front.
            searched = count
        }
    }

    /// The stated length of the body that belongs to a head; nil if none is stated or the body comes in chunks.
    static func length(ofBody request: ServerRequest) throws(Failure) -> Int64? {
        guard request.header("transfer-encoding") == nil, let field = request.header("content-length") else {
            return nil
        }
        guard let length = Int64(field), length >= 0 else { throw .refused(status: 400) }
        return length
    }

    /// Reads the body that belongs to the head just read, after "100 Continue" if the client waits for it.
    func readBody(of request: ServerRequest) throws(Failure) -> [UInt8] {
        if request.header("transfer-encoding") != nil { throw .refused(status: 411) }
        let length = Int(try Self.length(ofBody: request) ?? 0)
        if length > Self.maximumBody { throw .refused(status: 413) }
        if request.header("expect")?.lowercased() == "100-continue" {
            do throws(Errno) {
                try connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            } catch {
                throw .closed
            }
        }
        while buffer.count - start < length { try receive() }
        defer { start += length }
        return Array(buffer[start..<start + length])
    }

    /// Waits for more of the body that belongs to the head just read.
    /// - Returns: at least one byte, at most `count`, which is not 0.
    func readPiece(atMost count: Int) throws(Failure) -> [UInt8] {
        if buffer.count == start { try receive() }
        let end = start + min(count, buffer.count - start)
        defer { start = end }
        return Array(buffer[start..<end])
    }

    private func endOfHead(from first: Int) -> Int? {
        var index = first
        while index + 4 <= buffer.count {
            if buffer[index] == 13, buffer[index + 1] == 10, buffer[index + 2] == 13, buffer[index + 3] == 10 {
                return index
            }
            index += 1
        }
        return nil
    }

    private func receive() throws(Failure) {
        do throws(Errno) {
            let bytes = try connection.read(atMost: 65_536)
            if bytes.isEmpty { throw .notConnected }
            buffer.removeFirst(start)
            start = 0
            buffer += bytes
        } catch {
            throw .closed
        }
    }
}
