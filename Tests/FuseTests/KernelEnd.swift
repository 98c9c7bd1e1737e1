import Fuse
import Glibc
import Platform
import Testing

/// The kernel's side of a session that runs over a socket: sends requests, reads answers.
final class KernelEnd: Sendable {
    enum Opcode: UInt32 {
        case lookup = 1, forget = 2, getattr = 3, setattr = 4, symlink = 6, mknod = 8, mkdir = 9, unlink = 10
        case rmdir = 11, rename = 12, link = 13, open = 14, read = 15, write = 16, statfs = 17, release = 18
        case fsync = 20, setxattr = 21, getxattr = 22, listxattr = 23, removexattr = 24, flush = 25, initialize = 26
        case opendir = 27, readdir = 28, releasedir = 29, fsyncdir = 30, create = 35, interrupt = 36, batchForget = 42
        case fallocate = 43, readdirplus = 44, rename2 = 45, lseek = 46
    }

    struct Answer {
        var unique: UInt64
        /// 0 or an errno.
        var errno: Int32
        var body: [UInt8]
    }

    /// What the kernel of the test offers in INIT: everything this bridge decides about.
    static let offered: UInt32 =
        1 << 0 | 1 << 3 | 1 << 5 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 18 | 1 << 22 | 1 << 28

    let session: Session
    /// The body of the answer to INIT.
    let initAnswer: [UInt8]
    private let socket: Int32
    private let hasEnded = Condition(false)
    private let thread: Thread
    private let lastUnique = Lock<UInt64>(1)

    init(_ handler: any Handler, isWritable: Bool = false) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else { throw Errno.current }
        var options = MountOptions(fsname: "test")
        options.readOnly = !isWritable
        let session = try Session(handler: handler, options: options, socket: ends[1], log: Log(.nowhere))
        self.session = session
        socket = ends[0]
        let hasEnded = hasEnded
        thread = try Thread.start(name: "session") {
            session.run()
            hasEnded.update { $0 = true }
        }
        let request = MessageWriter.of {
            for number in [7, 38, 128 * 1024, Self.offered] as [UInt32] { $0.put(number) }
            for _ in 0..<12 { $0.put(UInt32(0)) }
        }
        Self.write(socket, Self.message(.initialize, unique: 1, node: 0, request))
        initAnswer = try #require(Self.read(socket)).body
    }

    deinit {
        session.stop()
        thread.join()
        session.unmount()
        close(socket)
    }

    /// Sends a request and returns its number.
    /// - Parameter process: who waits for the answer; 0: nobody the session can see.
    @discardableResult
    func send(_ opcode: Opcode, node: UInt64 = 1, process: pid_t = 0, _ body: [UInt8] = []) -> UInt64 {
        let unique = lastUnique.withLock { last in
            last += 2
            return last
        }
        send(opcode, unique: unique, node: node, process: process, body)
        return unique
    }

    func send(_ opcode: Opcode, unique: UInt64, node: UInt64 = 1, process: pid_t = 0, _ body: [UInt8]) {
        Self.write(socket, Self.message(opcode, unique: unique, node: node, process: process, body))
    }

    /// The next answer; nil if none comes in a time that no healthy run needs.
    func receive() -> Answer? { Self.read(socket) }

    func call(_ opcode: Opcode, node: UInt64 = 1, process: pid_t = 0, _ body: [UInt8] = []) throws -> Answer {
        let unique = send(opcode, node: node, process: process, body)
        let answer = try #require(receive())
        #expect(answer.unique == unique)
        return answer
    }

    /// Ends the connection, as an unmount does, and waits until the session has noticed.
    func hangUp() {
        shutdown(socket, Int32(SHUT_RDWR))
        hasEnded.wait(until: { $0 }) { _ in }
    }

    /// OPEN or OPENDIR, for the handle.
    func open(_ opcode: Opcode, node: UInt64) throws -> UInt64 {
        let answer = try call(opcode, node: node, MessageWriter.of { $0.put(UInt64(0)) })
        #expect(answer.errno == 0)
        return answer.body.number(at: 0)
    }

    static func read(handle: UInt64, offset: UInt64, size: UInt32) -> [UInt8] {
        MessageWriter.of {
            $0.put(handle)
            $0.put(offset)
            $0.put(size)
            $0.put(UInt32(0))
            $0.put(UInt64(0))
            $0.put(UInt64(0))
        }
    }

    static func release(handle: UInt64) -> [UInt8] {
        MessageWriter.of {
            $0.put(handle)
            $0.put(UInt64(0))
            $0.put(UInt64(0))
        }
    }

    private static func message(
        _ opcode: Opcode, unique: UInt64, node: UInt64, process: pid_t = 0, _ body: [UInt8]
    ) -> [UInt8] {
        MessageWriter.of {
            $0.put(UInt32(40 + body.count))
            $0.put(opcode.rawValue)
            $0.put(unique)
            $0.put(node)
            for number in [0, 0, UInt32(process), 0] { $0.put(number) }
        } + body
    }

    private static func write(_ socket: Int32, _ message: [UInt8]) {
        #expect(Glibc.send(socket, message, message.count, Int32(MSG_NOSIGNAL)) == message.count)
    }

    private static func read(_ socket: Int32) -> Answer? {
        var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 20_000) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256 * 1024)
        let count = Glibc.recv(socket, &bytes, bytes.count, 0)
        guard count >= 16 else { return nil }
        #expect(bytes.number(at: 0, as: UInt32.self) == UInt32(count))
        return Answer(
            unique: bytes.number(at: 8), errno: -bytes.number(at: 4, as: Int32.self), body: Array(bytes[16..<count]))
    }
}
