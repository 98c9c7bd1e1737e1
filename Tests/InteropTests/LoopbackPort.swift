import Glibc
import MountHarness
import Platform

/// Ports of 127.0.0.1 for servers that are told theirs.
enum LoopbackPort {
    /// A port that nobody listens on at this moment. None that the kernel gives to those who ask for any: another test's
    /// server would answer there before the one it is meant for has seen that it comes too late.
    static func free() throws -> Int {
        for _ in 0..<1000 {
            let port = Int.random(in: 10_000..<32_000)
            if withSocket(port: port, { bind($0, $1, $2) == 0 }) { return port }
        }
        throw HarnessError("no free port: \(Errno.current)")
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
