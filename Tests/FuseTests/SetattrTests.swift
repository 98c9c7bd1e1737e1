import Fuse
import Glibc
import Platform
import Testing

/// SETATTR over a socket: which fields of the request count.
struct SetattrTests {
    private let folder = WritableFolder()

    /// `valid` as in linux/fuse.h.
    private static func request(
        valid: UInt32, handle: UInt64 = 0, size: UInt64 = 0, modified: (Int64, UInt32) = (0, 0), mode: UInt32 = 0
    ) -> [UInt8] {
        MessageWriter.of {
            $0.put(UInt64(valid))
            $0.put(handle)
            $0.put(size)
            $0.put(UInt64(0))
            // atime, mtime, ctime, then their nanoseconds
            $0.put(Int64(11))
            $0.put(modified.0)
            $0.put(Int64(33))
            for number in [1, modified.1, 3, mode, 0, 44, 55, 0] { $0.put(number) }
        }
    }

    private func answer(_ request: [UInt8]) throws -> KernelEnd.Answer {
        try KernelEnd(folder, isWritable: true).call(.setattr, node: 2, request)
    }

    @Test(arguments: [
        (0, "change 2"), (1, "change 2 permissions 751"), (2, "change 2 user 44"), (4, "change 2 group 55"),
        (8, "change 2 size 5000"), (16, "change 2"), (32, "change 2 modified 1700000000123456789"),
        (1 << 10, "change 2"), (16 | 32 | 1 << 4, "change 2 modified 1700000000123456789"),
        (15, "change 2 permissions 751 user 44 group 55 size 5000"),
    ])
    func onlyWhatIsValidCounts(valid: UInt32, call: String) throws {
        folder.add("file")
        let request = Self.request(
            valid: valid, size: 5000, modified: (1_700_000_000, 123_456_789), mode: UInt32(S_IFREG) | 0o4751)
        #expect(try answer(request).errno == 0)
        #expect(folder.calls == [call])
    }

    @Test func answerShowsTheNewAttributes() throws {
        folder.add("file")
        let body = try answer(Self.request(valid: 8 | 32, size: 5000, modified: (1_700_000_000, 123_456_789))).body
        #expect(body.number(at: 0, as: UInt64.self) == 2)
        #expect(body.number(at: 8, as: UInt32.self) == 500_000_000)
        #expect(body.number(at: 24, as: UInt64.self) == 5000)
        // mtime and its nanoseconds
        #expect(body.number(at: 48, as: UInt64.self) == 1_700_000_000)
        #expect(body.number(at: 68, as: UInt32.self) == 123_456_789)
    }

    @Test func nowIsResolved() throws {
        folder.add("file")
        let before = Int64(time(nil)) * 1_000_000_000
        // MTIME and MTIME_NOW
        #expect(try answer(Self.request(valid: 32 | 256, modified: (5, 5))).errno == 0)
        let words = try #require(folder.calls.first).split(separator: " ")
        let modified = try #require(words.count == 4 ? Int64(words[3]) : nil)
        #expect(words[2] == "modified")
        #expect(modified >= before && modified <= before + 3_600_000_000_000)
    }

    @Test(arguments: [(Int64.max, Int64.max), (Int64.min, .min), (9_223_372_036, .max), (-2, -1_099_999_999)])
    func timesOutOfRangeAreCut(seconds: Int64, nanoseconds: Int64) throws {
        folder.add("file")
        #expect(try answer(Self.request(valid: 32, modified: (seconds, 900_000_001))).errno == 0)
        #expect(folder.calls == ["change 2 modified \(nanoseconds)"])
    }

    @Test func sizeBeyondAllFilesIsRefused() throws {
        folder.add("file")
        #expect(try answer(Self.request(valid: 8, size: 1 << 63)).errno == EINVAL)
        #expect(folder.calls == [])
    }

    @Test func handleNamesTheOpenFile() throws {
        folder.add("file")
        let kernel = try KernelEnd(folder, isWritable: true)
        let handle = try kernel.open(.open, node: 2)
        // FATTR_FH
        let request = Self.request(valid: 8 | 64, handle: handle, size: 7)
        #expect(try kernel.call(.setattr, node: 2, request).errno == 0)
        #expect(folder.calls == ["open 2 read", "change 2 size 7 open"])
    }
}
