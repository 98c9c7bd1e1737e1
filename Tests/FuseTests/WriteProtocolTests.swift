import Fuse
import Glibc
import Platform
import Testing

/// Requests that change something, as the kernel sends them to a writable session.
struct WriteProtocolTests {
    private let folder = WritableFolder()

    private func kernel() throws -> KernelEnd { try KernelEnd(folder, isWritable: true) }

    private static func create(_ name: String, flags: Int32 = O_RDWR, permissions: UInt32 = 0o640) -> [UInt8] {
        MessageWriter.of {
            $0.put(flags)
            $0.put(UInt32(S_IFREG) | permissions)
            for _ in 0..<2 { $0.put(UInt32(0)) }
            $0.put(name)
        }
    }

    static func write(handle: UInt64, offset: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        MessageWriter.of {
            $0.put(handle)
            $0.put(offset)
            $0.put(UInt32(bytes.count))
            $0.put(UInt32(0))
            for _ in 0..<2 { $0.put(UInt64(0)) }
        } + bytes
    }

    private static func flush(handle: UInt64) -> [UInt8] {
        MessageWriter.of { for number in [handle, 0, 0] { $0.put(number) } }
    }

    @Test func initAsksForWhatWritingNeeds() throws {
        let answer = try kernel().initAnswer
        let flags = answer.number(at: 12, as: UInt32.self)
        // ATOMIC_O_TRUNC, HANDLE_KILLPRIV_V2
        for bit in [3, 28] { #expect(flags & 1 << bit != 0, "wanted flag \(bit)") }
        // AUTO_INVAL_DATA, WRITEBACK_CACHE
        for bit in [12, 16] { #expect(flags & 1 << bit == 0, "unwanted flag \(bit)") }
        // max_write
        #expect(answer.number(at: 20, as: UInt32.self) == 1 << 20)
    }

    @Test func createAnswersEntryAndHandle() throws {
        let kernel = try kernel()
        let answer = try kernel.call(.create, Self.create("new", flags: O_RDWR | O_EXCL))
        #expect(answer.errno == 0 && answer.body.count == 128 + 16)
        #expect(answer.body.number(at: 0, as: UInt64.self) == 2)
        #expect(answer.body.number(at: 16, as: UInt64.self) == 7)
        #expect(answer.body.number(at: 100, as: UInt32.self) == 0o100640)
        // FOPEN_KEEP_CACHE
        #expect(answer.body.number(at: 128 + 8, as: UInt32.self) == 2)
        let handle = answer.body.number(at: 128, as: UInt64.self)
        let write = Self.write(handle: handle, offset: 3, Array("abc".utf8))
        #expect(try kernel.call(.write, node: 2, write).body.number(at: 0, as: UInt32.self) == 3)
        #expect(try kernel.call(.release, node: 2, KernelEnd.release(handle: handle)).errno == 0)
        #expect(folder.calls == ["create 1 new 640 both exclusive", "write 2 3 3", "release 2"])
        #expect(folder.record.update { $0.nodes[2]?.contents } == [0, 0, 0] + Array("abc".utf8))
    }

    @Test(arguments: [false, true])
    func refusedCreateIsUndone(isUnmounted: Bool) throws {
        let kernel = try kernel()
        kernel.send(.create, Self.create("late"))
        let parked = try #require(folder.parkedReply())
        let file = folder.add("late")
        kernel.hangUp()
        if isUnmounted { kernel.session.unmount() }
        parked.take()?.created(file.entry, file, directIO: false, keepCache: false)
        #expect(folder.calls == ["create 1 late 640 both", "release 2", "forget 2 1"])
    }

    @Test func noFlushIsPerOpen() throws {
        folder.add("file")
        let kernel = try kernel()
        // FOPEN_NOFLUSH is 32.
        for (flags, answer) in [(O_RDONLY, 32), (O_WRONLY | O_TRUNC, 0)] as [(Int32, UInt32)] {
            let body = try kernel.call(.open, node: 2, MessageWriter.of { $0.put(UInt64(flags)) }).body
            #expect(body.number(at: 8, as: UInt32.self) == answer)
        }
        #expect(folder.calls == ["open 2 read", "open 2 write truncate"])
        kernel.send(.create, Self.create("late"))
        let parked = try #require(folder.parkedReply())
        let file = folder.add("late")
        parked.take()?.created(file.entry, file, directIO: true, keepCache: false, noFlush: true)
        #expect(try #require(kernel.receive()).body.number(at: 128 + 8, as: UInt32.self) == 33)
    }

    @Test func foldersAndRemoval() throws {
        let kernel = try kernel()
        let answer = try kernel.call(
            .mkdir,
            MessageWriter.of {
                $0.put(UInt32(0o750))
                $0.put(UInt32(0))
                $0.put("folder")
            })
        #expect(answer.errno == 0 && answer.body.count == 128)
        #expect(answer.body.number(at: 100, as: UInt32.self) == 0o40750)
        #expect(try kernel.call(.rmdir, MessageWriter.of { $0.put("folder") }).errno == 0)
        folder.add("file")
        for errno in [0, ENOENT] {
            #expect(try kernel.call(.unlink, MessageWriter.of { $0.put("file") }).errno == errno)
        }
        #expect(
            folder.calls == [
                "makeDirectory 1 folder 750", "removeDirectory 1 folder", "removeFile 1 file", "removeFile 1 file",
            ])
    }

    @Test func renameCarriesItsFlags() throws {
        folder.add("a")
        folder.add("b")
        let kernel = try kernel()
        func rename(_ flags: UInt32?, _ name: String, _ newName: String) throws -> Int32 {
            let body = MessageWriter.of {
                $0.put(UInt64(9))
                if let flags { $0.put(UInt64(flags)) }
                $0.put(name)
                $0.put(newName)
            }
            return try kernel.call(flags == nil ? .rename : .rename2, body).errno
        }
        #expect(try rename(1, "a", "b") == EEXIST)
        #expect(try rename(2, "a", "b") == EINVAL)
        #expect(try rename(1, "a", "c") == 0)
        #expect(try rename(nil, "c", "b") == 0)
        #expect(folder.calls == ["rename 1 a 9 b 1", "rename 1 a 9 b 2", "rename 1 a 9 c 1", "rename 1 c 9 b 0"])
    }

    @Test func specialFilesNameTheFolderOfTheNewName() throws {
        let kernel = try kernel()
        let device = MessageWriter.of {
            for number in [UInt32(S_IFIFO), 0, 0, 0] { $0.put(number) }
            $0.put("pipe")
        }
        let symbolic = MessageWriter.of {
            $0.put("link")
            $0.put("target")
        }
        let hard = MessageWriter.of {
            $0.put(UInt64(2))
            $0.put("link")
        }
        #expect(try kernel.call(.mknod, node: 5, device).errno == EPERM)
        #expect(try kernel.call(.symlink, node: 6, symbolic).errno == EPERM)
        #expect(try kernel.call(.link, node: 7, hard).errno == EPERM)
        #expect(folder.calls == ["makeSpecial 5", "makeSpecial 6", "makeSpecial 7"])
    }

    @Test func extendedAttributes() throws {
        let kernel = try kernel()
        let set = MessageWriter.of {
            $0.put(UInt32(2))
            $0.put(UInt32(1))
            $0.put("user.x")
        }
        #expect(try kernel.call(.setxattr, node: 2, set + [0, 255]).errno == 0)
        #expect(try kernel.call(.removexattr, node: 2, MessageWriter.of { $0.put("user.x") }).errno == 0)
        // Names that are no text are refused by the bridge.
        let odd = [UInt8](repeating: 0, count: 8) + [0xFF, 0]
        #expect(try kernel.call(.setxattr, node: 2, odd).errno == EOPNOTSUPP)
        #expect(try kernel.call(.removexattr, node: 2, [0xFF, 0]).errno == ENODATA)
        #expect(folder.calls == ["setExtendedAttribute 2 user.x [0, 255] 1", "removeExtendedAttribute 2 user.x"])
    }

    @Test func synchronizeAllocateFlush() throws {
        let kernel = try kernel()
        folder.add("file")
        let handle = try kernel.open(.open, node: 2)
        let allocate = MessageWriter.of {
            for number in [handle, 10, 20] as [UInt64] { $0.put(number) }
            $0.put(UInt32(1))
            $0.put(UInt32(0))
        }
        let synchronize = KernelEnd.release(handle: handle)
        #expect(try kernel.call(.fallocate, node: 2, allocate).errno == 0)
        #expect(try kernel.call(.fsync, node: 2, synchronize).errno == 0)
        #expect(try kernel.call(.fsyncdir, synchronize).errno == 0)
        // By nobody, by a living process, by one that is not there.
        for process in [0, getpid(), .max] {
            #expect(try kernel.call(.flush, node: 2, process: process, Self.flush(handle: handle)).errno == 0)
        }
        #expect(
            folder.calls == ["open 2 read", "allocate 2 1 10 20", "synchronize 2", "flush 2", "flush 2", "flush 2"])
    }

    @Test func unknownHandleIsAnError() throws {
        let kernel = try kernel()
        #expect(try kernel.call(.write, Self.write(handle: 0, offset: 0, [1])).errno == EBADF)
        #expect(try kernel.call(.flush, Self.flush(handle: 0)).errno == EBADF)
        #expect(try kernel.call(.fsync, KernelEnd.release(handle: 0)).errno == EBADF)
        #expect(try kernel.call(.fallocate, [UInt8](repeating: 0, count: 32)).errno == EBADF)
    }

    /// What a handler refuses that only reads.
    @Test func defaultsAreReadOnly() throws {
        let kernel = try KernelEnd(StubHandler(), isWritable: true)
        let name = MessageWriter.of { $0.put("name") }
        let renamed = [UInt8](repeating: 0, count: 8) + name + name
        let answers: [(KernelEnd.Opcode, [UInt8], Int32)] = [
            (.create, Self.create("name"), EROFS), (.mkdir, [UInt8](repeating: 0, count: 8) + name, EROFS),
            (.unlink, name, EROFS), (.rmdir, name, EROFS), (.rename, renamed, EROFS), (.symlink, name + name, EROFS),
            (.setattr, [UInt8](repeating: 0, count: 88), EROFS),
            (.setxattr, [UInt8](repeating: 0, count: 8) + name, EOPNOTSUPP), (.removexattr, name, EOPNOTSUPP),
        ]
        for (opcode, body, errno) in answers { #expect(try kernel.call(opcode, body).errno == errno, "\(opcode)") }
        let handle = try kernel.open(.open, node: 2)
        let allocate = MessageWriter.of { for number in [handle, 0, 1, 0] { $0.put(number) } }
        #expect(try kernel.call(.write, node: 2, Self.write(handle: handle, offset: 0, [1])).errno == EBADF)
        #expect(try kernel.call(.fallocate, node: 2, allocate).errno == EBADF)
        #expect(try kernel.call(.flush, node: 2, Self.flush(handle: handle)).errno == 0)
        #expect(try kernel.call(.fsync, node: 2, KernelEnd.release(handle: handle)).errno == 0)
    }

    @Test func readOnlySessionHasNoneOfThem() throws {
        let kernel = try KernelEnd(folder)
        folder.add("file")
        let name = MessageWriter.of { $0.put("name") }
        let handle = try kernel.open(.open, node: 2)
        let requests: [(KernelEnd.Opcode, [UInt8])] = [
            (.create, Self.create("name")), (.mkdir, [UInt8](repeating: 0, count: 8) + name), (.unlink, name),
            (.rmdir, name), (.rename, [UInt8](repeating: 0, count: 8) + name + name),
            (.rename2, [UInt8](repeating: 0, count: 16) + name + name),
            (.mknod, [UInt8](repeating: 0, count: 16) + name), (.symlink, name + name),
            (.link, [UInt8](repeating: 0, count: 8) + name), (.setattr, [UInt8](repeating: 0, count: 88)),
            (.setxattr, [UInt8](repeating: 0, count: 8) + name), (.removexattr, name),
            (.write, Self.write(handle: handle, offset: 0, [1])), (.flush, Self.flush(handle: handle)),
            (.fsync, KernelEnd.release(handle: handle)), (.fsyncdir, KernelEnd.release(handle: handle)),
            (.fallocate, [UInt8](repeating: 0, count: 32)),
        ]
        for (opcode, body) in requests { #expect(try kernel.call(opcode, node: 2, body).errno == ENOSYS, "\(opcode)") }
        #expect(folder.calls == ["open 2 read"])
    }
}
