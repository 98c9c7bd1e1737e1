import Glibc

/// A blocking client that sends exact bytes to a port of 127.0.0.1 and sees how the connection ends.
final class RawClient {
    enum End: Equatable { case open, closed, reset }

    private let descriptor: Int32
    /// Kept running as long as this client lives.
    private let peer: AnyObject?

    init(port: Int, of peer: AnyObject? = nil) throws {
        self.peer = peer
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw ConnectFailure(number: errno)
        }
        // Generous: a test that waits so long has failed.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    struct ConnectFailure: Error { let number: Int32 }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }

    func get(_ target: String, method: String = "GET", headers: [String] = []) {
        send((["\(method) \(target) HTTP/1.1", "Host: x"] + headers + ["", ""]).joined(separator: "\r\n"))
    }

    /// Reads exactly that many bytes, fewer only if the connection ends before.
    func read(_ count: Int) -> (bytes: [UInt8], end: End) {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var piece = [UInt8](repeating: 0, count: min(1 << 20, count - bytes.count))
            let received = recv(descriptor, &piece, piece.count, 0)
            if received < 0 { return (bytes, errno == ECONNRESET ? .reset : .open) }
            if received == 0 { return (bytes, .closed) }
            bytes += piece[..<received]
        }
        return (bytes, .open)
    }

    /// Whether something, bytes or an end, comes in that time.
    func hasMore(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) != 0
    }

    func readToEnd() -> (bytes: [UInt8], end: End) { read(.max) }

    /// The lines of a head, up to and without the empty line.
    func readHead() -> [String] {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let (byte, end) = read(1)
            if end != .open || byte.isEmpty { break }
            bytes += byte
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    /// Reads one answer with a stated length. HEAD answers have none: `hasBody` false.
    func readAnswer(hasBody: Bool = true) -> (status: Int, head: [String], body: [UInt8]) {
        let head = readHead()
        let status = head.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        let length = head.compactMap { line -> Int? in
            line.lowercased().hasPrefix("content-length: ") ? Int(line.dropFirst(16)) : nil
        }
        return (status, head, hasBody ? read(length.first ?? 0).bytes : [])
    }
}
