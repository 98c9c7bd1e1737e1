import Fuse
import Glibc
import Platform
import Testing

/// Requests as the kernel sends them, over a socket; real libfuse in between.
struct ProtocolTests {
    private let handler = StubHandler()

    @Test func initAsksForWhatTheDesignNeeds() throws {
        let answer = try KernelEnd(handler).initAnswer
        let flags = answer.number(at: 12, as: UInt32.self)
        for bit in [0, 13, 14, 18] { #expect(flags & 1 << bit != 0, "wanted flag \(bit)") }
        // AUTO_INVAL_DATA, WRITEBACK_CACHE, HANDLE_KILLPRIV_V2
        for bit in [12, 16, 28] { #expect(flags & 1 << bit == 0, "unwanted flag \(bit)") }
        #expect(answer.number(at: 8, as: UInt32.self) == 128 * 1024)
        #expect(answer.number(at: 16, as: UInt16.self) == 1024)
        #expect(answer.number(at: 18, as: UInt16.self) == 768)
        // max_pages: reads of 1 MiB
        #expect(answer.number(at: 28, as: UInt16.self) == 256)
    }

    @Test func lookupAnswersAnEntry() throws {
        let answer = try KernelEnd(handler).call(.lookup, MessageWriter.of { $0.put("file") })
        #expect(answer.errno == 0 && answer.body.count == 128)
        #expect(answer.body.number(at: 0, as: UInt64.self) == 2)
        #expect(answer.body.number(at: 16, as: UInt64.self) == 60)
        #expect(answer.body.number(at: 24, as: UInt64.self) == 1)
        #expect(answer.body.number(at: 36, as: UInt32.self) == 500_000_000)
        #expect(answer.body.number(at: 40, as: UInt64.self) == 1002)
        #expect(answer.body.number(at: 48, as: UInt64.self) == 10)
        // blocks, mtime, mode
        #expect(answer.body.number(at: 56, as: UInt64.self) == 1)
        #expect(answer.body.number(at: 72, as: UInt64.self) == UInt64(StubHandler.changed))
        #expect(answer.body.number(at: 100, as: UInt32.self) == 0o100644)
    }

    @Test func missingNameIsANegativeEntry() throws {
        let answer = try KernelEnd(handler).call(.lookup, MessageWriter.of { $0.put("missing") })
        #expect(answer.errno == 0)
        #expect(answer.body.number(at: 0, as: UInt64.self) == 0)
        #expect(answer.body.number(at: 16, as: UInt64.self) == 5)
    }

    @Test(arguments: [("absent", ENOENT), ("dropped", EIO), ("odd", EIO)])
    func failuresOfLookup(name: String, errno: Int32) throws {
        let answer = try KernelEnd(handler).call(.lookup, MessageWriter.of { $0.put(name) })
        #expect(answer.errno == errno)
        #expect(answer.body.isEmpty)
    }

    @Test func getattrAnswersAttributes() throws {
        let answer = try KernelEnd(handler).call(
            .getattr, node: 3, MessageWriter.of { for _ in 0..<2 { $0.put(UInt64(0)) } })
        #expect(answer.errno == 0 && answer.body.count == 104)
        #expect(answer.body.number(at: 0, as: UInt64.self) == 2)
        #expect(answer.body.number(at: 8, as: UInt32.self) == 500_000_000)
        #expect(answer.body.number(at: 16 + 60, as: UInt32.self) == 0o40755)
    }

    @Test func openReadRelease() throws {
        let kernel = try KernelEnd(handler)
        let open = try kernel.call(.open, node: 2, MessageWriter.of { $0.put(UInt64(0)) })
        let handle = open.body.number(at: 0, as: UInt64.self)
        // FOPEN_KEEP_CACHE
        #expect(open.body.number(at: 8, as: UInt32.self) == 2)
        let cases: [(UInt64, UInt32, String)] = [
            (0, 4096, "0123456789"), (3, 4, "3456"), (9, 5, "9"), (10, 1, ""), (99, 9, ""),
        ]
        for (offset, size, text) in cases {
            let answer = try kernel.call(.read, node: 2, KernelEnd.read(handle: handle, offset: offset, size: size))
            #expect(answer.errno == 0)
            #expect(String(decoding: answer.body, as: UTF8.self) == text)
        }
        #expect(handler.record.update { $0.released } == [])
        #expect(try kernel.call(.release, node: 2, KernelEnd.release(handle: handle)).errno == 0)
        #expect(handler.record.update { $0.released } == [2])
    }

    @Test func directIOIsPerOpen() throws {
        let open = try KernelEnd(handler).call(.open, node: 4, MessageWriter.of { $0.put(UInt64(0)) })
        #expect(open.body.number(at: 8, as: UInt32.self) == 1)
    }

    @Test func readdirGoesOnWhereItStopped() throws {
        let kernel = try KernelEnd(handler)
        let handle = try kernel.open(.opendir, node: 1)
        var names: [String] = []
        var offset: UInt64 = 0
        while true {
            // Room for one short entry.
            let answer = try kernel.call(.readdir, KernelEnd.read(handle: handle, offset: offset, size: 32))
            if answer.body.isEmpty { break }
            let length = Int(answer.body.number(at: 16, as: UInt32.self))
            let name = String(decoding: answer.body[24..<24 + length], as: UTF8.self)
            offset = answer.body.number(at: 8)
            names.append(name)
            if name == "folder" {
                #expect(answer.body.number(at: 0, as: UInt64.self) == 1003)
                #expect(answer.body.number(at: 20, as: UInt32.self) == UInt32(DT_DIR))
            }
            if names.count > 10 { break }
        }
        #expect(names == [".", "..", "file", "folder", "parked"])
        #expect(try kernel.call(.releasedir, KernelEnd.release(handle: handle)).errno == 0)
        #expect(handler.record.update { $0.released } == [3])
    }

    @Test func readdirplusNamesNodes() throws {
        let kernel = try KernelEnd(handler)
        let handle = try kernel.open(.opendir, node: 1)
        let body = try kernel.call(.readdirplus, KernelEnd.read(handle: handle, offset: 0, size: 4096)).body
        var nodes: [UInt64] = []
        var start = 0
        while start < body.count {
            nodes.append(body.number(at: start))
            start += (152 + Int(body.number(at: start + 128 + 16, as: UInt32.self)) + 7) & ~7
        }
        #expect(nodes == [0, 0, 2, 3, 4])
        #expect(try kernel.call(.readdirplus, KernelEnd.read(handle: handle, offset: 6, size: 4096)).body.isEmpty)
    }

    @Test func forgetsAreCounted() throws {
        let kernel = try KernelEnd(handler)
        kernel.send(.forget, node: 2, MessageWriter.of { $0.put(UInt64(3)) })
        kernel.send(
            .batchForget,
            MessageWriter.of {
                $0.put(UInt64(2))
                for number in [2, 4, 3, 1] { $0.put(UInt64(number)) }
            })
        let all = handler.record.wait(
            until: { $0.forgotten.values.reduce(0, +) >= 8 }, before: .now() + .seconds(20), { $0.forgotten })
        #expect(all == [2: 7, 3: 1])
    }

    @Test func extendedAttributeSizeProtocol() throws {
        let kernel = try KernelEnd(handler)
        func get(_ room: UInt32, _ name: String) throws -> KernelEnd.Answer {
            try kernel.call(
                .getxattr, node: 2,
                MessageWriter.of {
                    $0.put(UInt64(room))
                    $0.put(name)
                })
        }
        #expect(try get(0, "user.skyfs.url").body.number(at: 0, as: UInt32.self) == 9)
        #expect(try get(8, "user.skyfs.url").errno == ERANGE)
        #expect(try get(9, "user.skyfs.url").body == Array("http://x/".utf8))
        #expect(try get(9, "user.other").errno == ENODATA)
        let list = try kernel.call(.listxattr, node: 2, MessageWriter.of { $0.put(UInt64(100)) })
        #expect(list.body == Array("user.skyfs.url\0".utf8))
    }

    @Test func whatIsNotThereIsNotImplemented() throws {
        let kernel = try KernelEnd(handler)
        let set = MessageWriter.of {
            $0.put(UInt64(0))
            $0.put("user.x")
        }
        #expect(try kernel.call(.setxattr, node: 2, set).errno == ENOSYS)
        #expect(try kernel.call(.lseek, node: 2, [UInt8](repeating: 0, count: 24)).errno == ENOSYS)
    }

    @Test func statfsAnswersStatistics() throws {
        #expect(try KernelEnd(handler).call(.statfs).body.number(at: 0, as: UInt64.self) == 77)
    }

    @Test func unknownHandleIsAnError() throws {
        let kernel = try KernelEnd(handler)
        #expect(try kernel.call(.read, node: 2, KernelEnd.read(handle: 0, offset: 0, size: 1)).errno == EBADF)
    }
}
