import Glibc
import Platform
import Testing

@testable import Store

struct SpoolFileTests {
    @Test func bytesAreKeptAndDigested() throws {
        try TemporaryFolder.withSpool { _, spool in
            let file = try spool.create(1)
            #expect(try file.size() == 0)
            #expect(try file.sha256() == SHA256Digest.hexadecimal(of: ""))
            // Two whole pieces of the digest's reading and a part.
            let bytes = (0..<2_500_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            try file.append(bytes)
            try file.synchronize()
            #expect(try file.size() == 2_500_001)
            var digest = try SHA256Digest()
            try digest.update(bytes)
            let expected = try digest.finish()
            #expect(try file.sha256() == expected)
            try file.truncate(to: 3)
            #expect(try file.size() == 3)
            try file.truncate(to: 10)
            #expect(try file.size() == 10)
            #expect { try file.truncate(to: -1) } throws: { ($0 as? StoreError)?.errno == .invalid }
        }
    }

    @Test func roomIsAllocated() throws {
        try TemporaryFolder.withSpool { _, spool in
            let file = try spool.create(1)
            try file.allocate(mode: 0, offset: 10, length: 90)
            #expect(try file.size() == 100)
            // FALLOC_FL_KEEP_SIZE
            try file.allocate(mode: 1, offset: 0, length: 1 << 20)
            #expect(try file.size() == 100)
            #expect { try file.allocate(mode: 0, offset: -1, length: 5) } throws: {
                ($0 as? StoreError)?.errno == .invalid
            }
        }
    }

    @Test func aFailedSyncIsRememberedUntilTheFileStartsAnew() throws {
        try TemporaryFolder.withSpool { _, spool in
            // A device cannot be synced; afterwards the same descriptor is a file that can.
            let file = SpoolFile(descriptor: open("/dev/full", O_RDWR | O_CLOEXEC), number: 1)
            #expect(throws: StoreError.self) { try file.synchronize() }
            let other = try spool.create(1)
            #expect(dup2(other.descriptor, file.descriptor) == file.descriptor)
            #expect(throws: StoreError.self) { try file.synchronize() }
            try file.truncate(to: 5)
            #expect(throws: StoreError.self) { try file.synchronize() }
            try file.truncate(to: 0)
            try file.synchronize()
            #expect(try other.size() == 0)
        }
    }

    @Test func fullDisksAreKnown() {
        #expect(StoreError(.noSpace, on: "x").isDiskFull)
        #expect(StoreError(.init(rawValue: EDQUOT), on: "x").isDiskFull)
        #expect(!StoreError(.io, on: "x").isDiskFull)
    }
}
