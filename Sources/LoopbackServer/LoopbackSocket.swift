import Glibc
import Platform

/// The system calls around TCP sockets on 127.0.0.1.
enum LoopbackSocket {
    /// - Parameter port: 0 for any free one. A port whose old connections still linger can be taken at once.
    /// - Returns: a listening descriptor, which the caller closes.
    static func listen(port: Int) throws(Errno) -> Int32 {
        let descriptor = try create()
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let result = withAddress(port: port) { bind(descriptor, $0, $1) }
        guard result == 0, Glibc.listen(descriptor, 512) == 0 else {
            let failure = Errno.current
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// A socket that does not survive `exec`.
    static func create() throws(Errno) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw Errno.current }
        return descriptor
    }

    /// Settings of every accepted connection: closed at `exec`, small pieces are sent at once.
    static func prepare(_ descriptor: Int32) {
        // accept4 is a GNU extension that Glibc's module does not show.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Makes the next close a reset (RST) that drops what is not sent yet, instead of an orderly end.
    static func resetWhenClosed(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    static func port(of descriptor: Int32) -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: the kernel fills at most `length` bytes, the size of `address`.
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Lends 127.0.0.1 with that port to a call like `bind` or `connect`.
    // SAFETY: `body` passes the pointer to one system call and does not keep it.
    static func withAddress(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
