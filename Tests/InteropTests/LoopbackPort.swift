import Glibc
import MountHarness
import Platform

/// Ports of 127.0.0.1 for servers that are told theirs.
enum LoopbackPort {
    /// A port that nobody listens on at this moment.
    static func free() throws -> Int {
        let port = withSocket(port: 0) { descriptor, address, size -> Int in
            guard bind(descriptor, address, size) == 0 else { return 0 }
            var bound = sockaddr_in()
            var size = size
            let result = withUnsafeMutablePointer(to: &bound) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            }
            return result == 0 ? Int(UInt16(bigEndian: bound.sin_port)) : 0
        }
        guard port != 0 else { throw HarnessError("no free port: \(Errno.current)") }
        return port
    }

    /// Whether somebody accepts connections there.
    static func answers(_ port: Int) -> Bool { withSocket(port: port) { connect($0, $1, $2) == 0 } }

    private static func withSocket<Result>(
        port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(descriptor, $0, size) }
        }
    }
}
