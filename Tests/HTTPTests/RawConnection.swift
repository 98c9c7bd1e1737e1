import Glibc
import Platform

/// One connection of a `RawServer`. Used by the thread that serves it, but for `interrupt`.
final class RawConnection: Sendable {
    /// One request as it came, to the byte.
    struct Form: Sendable {
        var head: String
        var body: [UInt8]

        /// The value of a header; nil unless it is there exactly once.
        func header(_ name: String) -> String? {
            let lines = head.components(separatedBy: "\r\n").dropFirst()
                .filter { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            guard lines.count == 1, let line = lines.first else { return nil }
            return String(line.dropFirst(name.count + 1).drop { $0 == " " })
        }

        var boundary: String { header("Content-Type")?.components(separatedBy: "boundary=").last ?? "" }
        /// The body with "B" for the boundary.
        var text: String { String(decoding: body, as: UTF8.self).replacing(boundary, with: "B") }
    }

    private struct State {
        var isOpen = true
        var buffer: [UInt8] = []
    }

    let number: Int
    private let descriptor: Int32
    private let state = Lock(State())

    init(_ descriptor: Int32, number: Int) {
        self.descriptor = descriptor
        self.number = number
    }

    deinit { finish() }

    /// The next request's head, without the empty line; nil if the client went away.
    func readHead() -> String? {
        while true {
            let head: String? = state.withLock { state in
                guard let end = state.buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
                defer { state.buffer.removeFirst(end.upperBound) }
                return String(decoding: state.buffer[..<end.lowerBound], as: UTF8.self)
            }
            if let head { return head }
            guard receive() else { return nil }
        }
    }

    /// That many bytes of a body; nil if the client went away before.
    func readBody(_ count: Int) -> [UInt8]? {
        while state.withLock({ $0.buffer.count }) < count { guard receive() else { return nil } }
        return state.withLock { state in
            defer { state.buffer.removeFirst(count) }
            return Array(state.buffer[..<count])
        }
    }

    /// A whole request; nil if the client went away before its end.
    func readForm() -> Form? {
        guard let head = readHead() else { return nil }
        var form = Form(head: head, body: [])
        guard let length = form.header("Content-Length").flatMap({ Int($0) }), let body = readBody(length) else {
            return nil
        }
        form.body = body
        return form
    }

    /// Takes and drops up to that many bytes.
    /// - Returns: the count; less only if the client went away.
    func skip(_ count: Int) -> Int {
        var skipped = state.withLock { state in
            let skipped = min(count, state.buffer.count)
            state.buffer.removeFirst(skipped)
            return skipped
        }
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while skipped < count {
            let received = recv(descriptor, &piece, min(piece.count, count - skipped), 0)
            guard received > 0 else { return skipped }
            skipped += received
        }
        return skipped
    }

    private func receive() -> Bool {
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        let received = recv(descriptor, &piece, piece.count, 0)
        guard received > 0 else { return false }
        state.withLock { $0.buffer += piece[..<received] }
        return true
    }

    /// - Returns: whether the client was still there.
    @discardableResult
    func write(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func answer(_ status: Int, headers: String = "", _ body: String = "") {
        write("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    /// Waits until the client can send no more, for all buffers between are full, or has gone.
    func waitUntilFull() {
        var (last, repeats) = (Int32(-1), 0)
        while repeats < 10, !isClosedByPeer {
            var waiting: Int32 = 0
            _ = ioctl(descriptor, UInt(FIONREAD), &waiting)
            repeats = waiting == last && waiting > 0 ? repeats + 1 : 0
            last = waiting
            usleep(20_000)
        }
    }

    /// Waits until the client closes, taking what it sends.
    func waitForClose() { _ = skip(.max) }

    /// Whether the client or `stop` has ended it; takes nothing.
    var isClosedByPeer: Bool {
        // POLLRDHUP of <poll.h>, which Glibc's module does not show.
        var entry = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    /// Closes with a reset, also of what is not read yet.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        finish()
    }

    /// Wakes the thread that serves this connection for the last time.
    func interrupt() {
        state.withLock { state in
            if state.isOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func finish() {
        state.withLock { state in
            if state.isOpen {
                // The end is told also if a program started meanwhile has inherited the descriptor.
                shutdown(descriptor, Int32(SHUT_WR))
                close(descriptor)
            }
            state.isOpen = false
        }
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
