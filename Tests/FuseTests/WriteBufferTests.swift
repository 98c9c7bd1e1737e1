import Glibc
import Platform
import Testing

@testable import Fuse

struct WriteBufferTests {
    private func copy(_ bytes: [UInt8], to descriptor: Int32, at offset: Int64) -> Result<Int, Errno> {
        bytes.withUnsafeBytes { bytes in
            let buffer = WriteBuffer(bytes)
            return buffer.copy(to: descriptor, at: offset)
        }
    }

    @Test func allBytesArriveWhereTheyBelong() throws {
        let descriptor = try SmallDisk.file()
        defer { close(descriptor) }
        #expect(copy([1, 2, 3], to: descriptor, at: 4) == .success(3))
        #expect(copy([], to: descriptor, at: 0) == .success(0))
        var bytes = [UInt8](repeating: 9, count: 10)
        #expect(pread(descriptor, &bytes, bytes.count, 0) == 7)
        #expect(bytes == [0, 0, 0, 0, 1, 2, 3, 9, 9, 9])
    }

    @Test func shortWriteTellsItsReason() throws {
        let descriptor = try SmallDisk.file()
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 7, count: 100 * 1024)
        // The premise: one write takes a part of them.
        #expect(pwrite(descriptor, bytes, bytes.count, 0) == 64 * 1024)
        #expect(ftruncate(descriptor, 0) == 0)
        #expect(copy(bytes, to: descriptor, at: 0) == .failure(.noSpace))
        #expect(ftruncate(descriptor, 0) == 0)
        #expect(copy(Array(bytes[..<(64 * 1024)]), to: descriptor, at: 0) == .success(64 * 1024))
    }

    @Test func fullDeviceAndClosedDescriptor() {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        #expect(copy([1], to: full, at: 0) == .failure(.noSpace))
        #expect(copy([1], to: -1, at: 0) == .failure(.badFileDescriptor))
    }
}
