import Glibc
import Platform
import Testing

@testable import HTTP

/// A program that this one starts must not keep a connection open that is closed here.
struct InheritanceTests {
    @Test func connectionsAreNotInherited() async throws {
        try await withRawServer { connection in
            guard connection.readHead() != nil else { return }
            connection.waitForClose()
        } body: { client, server async throws in
            let url = try HTTPURL.parse(server.url).url
            let observer = RecordingObserver()
            let id = client.upload(try TemporaryContent([1]).form(to: server.url), observer)
            #expect(await eventually { !Self.sockets(to: url.origin.port).isEmpty })
            for socket in Self.sockets(to: url.origin.port) {
                #expect(await eventually { fcntl(socket, F_GETFD) & FD_CLOEXEC != 0 })
            }
            client.cancel(id)
            _ = await observer.finished()
        }
    }

    /// Descriptors of this process that are connected to a port.
    private static func sockets(to port: Int) -> [Int32] {
        (3..<4096).filter { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
            }
            return result == 0 && address.sin_family == AF_INET && Int(address.sin_port.bigEndian) == port
        }
    }
}
