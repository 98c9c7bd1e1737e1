import Glibc
import Platform

/// A server on 127.0.0.1 that does nothing by itself: `serve` speaks on each connection, on a thread of its own, to the
/// byte. All ends with `stop`.
final class RawServer: Sendable {
    private struct State: Sendable {
        var isStopped = false
        var connections: [RawConnection] = []
        var threads: [Thread] = []
    }

    private let state = Lock(State())
    private let listener: Int32
    private let acceptor: Thread
    let port: Int
    var url: String { "http://127.0.0.1:\(port)" }

    init(_ serve: @escaping @Sendable (RawConnection) -> Void) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        listener = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                _ = listen(descriptor, 64)
                _ = getsockname(descriptor, $0, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        let state = state
        acceptor = try Thread.start(name: "raw-accept") {
            while true {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0 else { return }
                // Programs that other tests start must not hold it open.
                _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
                state.withLock { state in
                    let connection = RawConnection(accepted, number: state.connections.count)
                    state.connections.append(connection)
                    if state.isStopped { connection.interrupt() }
                    let thread = try? Thread.start(name: "raw-serve") {
                        serve(connection)
                        connection.finish()
                    }
                    if let thread { state.threads.append(thread) }
                }
            }
        }
    }

    var connectionCount: Int { state.withLock { $0.connections.count } }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            for connection in state.connections { connection.interrupt() }
        }
        shutdown(listener, Int32(SHUT_RDWR))
        acceptor.join()
        for thread in state.withLock({ $0.threads }) { thread.join() }
        close(listener)
    }
}
