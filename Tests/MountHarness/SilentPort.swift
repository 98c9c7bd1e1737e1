import Glibc
package import Platform

/// A port of 127.0.0.1 where connections are refused, and that nobody else is given while this object lives.
package final class SilentPort: Sendable {
    private let descriptor: Int32
    package let number: Int
    package var url: String { "http://127.0.0.1:\(number)" }

    package init() throws(Errno) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .current }
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // Bound, but not listening.
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        number = Int(address.sin_port.bigEndian)
        guard result else { throw .current }
    }

    deinit { close(descriptor) }
}
