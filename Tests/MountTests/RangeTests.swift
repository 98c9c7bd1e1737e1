import LoopbackServer
import MountHarness
import Testing

/// Servers that get ranges wrong: the right bytes or an error, and not more traffic than needed.
struct RangeTests {
    @Test func wholeFileIsReadByRanges() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.pattern("/f.bin", 20_000_003)
        try await withMount(server) { mount async throws in
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<20_000_003)) == nil)
        }
        let gets = server.requests("/f.bin", method: "GET")
        #expect(!gets.isEmpty && gets.allSatisfy { $0.status == 206 })
        // Nothing is asked for twice.
        #expect(gets.map(\.bytesSent).reduce(0, +) == 20_000_003)
    }

    /// Field case B08.
    @Test func ignoredRangesCostOneDownload() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on("/f.bin", FileResource(.pattern(0..<500_000), etag: nil, ranges: .ignored).responder)
        try await withMount(server) { mount async throws in
            let part = try await mount.read("f.bin", at: 400_003, count: 16)
            #expect(mismatch(part.output, pattern(400_003..<400_019)) == nil, "\(part.errors)")
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<500_000)) == nil)
            for number in 1...20 {
                let offset = Int64(number * 20_000)
                let read = try await mount.read("f.bin", at: offset, count: 100)
                #expect(mismatch(read.output, pattern(offset..<min(offset + 100, 500_000))) == nil)
            }
            #expect(server.requests("/f.bin", method: "GET").count <= 3)
        }
    }

    /// Field case B09.
    @Test func bytesOfAnotherRangeAreNeverDelivered() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on(
            "/f.bin",
            FileResource(
                .pattern(0..<300_000),
                ranges: .wrong { asked in
                    asked.lowerBound == 0
                        ? (asked, "bytes 0-\(asked.upperBound - 1)/300000") : (0..<100, "bytes 0-99/300000")
                }
            ).responder)
        try await withMount(server, options: "timeout=5") { mount async throws in
            let read = try await mount.read("f.bin", at: 250_000, count: 1000)
            if read.succeeded {
                #expect(mismatch(read.output, pattern(250_000..<251_000)) == nil)
            } else {
                #expect(read.status == 1 && read.output.isEmpty && read.errors.contains("Input/output error"))
            }
        }
    }

    @Test(arguments: ["bytes 0-999/300000", "bytes 250000-299999/9", "bytes 1-2/3/4", "lines 1-2/3", ""])
    func wrongContentRangeGivesRightBytesOrAnError(contentRange: String) async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on(
            "/f.bin",
            FileResource(
                .pattern(0..<300_000),
                ranges: .wrong { asked in
                    asked.lowerBound == 0
                        ? (asked, "bytes 0-\(asked.upperBound - 1)/300000")
                        // The bytes are of another place than the range asked for.
                        : (1000..<1000 + Int64(asked.count), contentRange)
                }
            ).responder)
        try await withMount(server, options: "timeout=5") { mount async throws in
            let read = try await mount.read("f.bin", at: 250_000, count: 1000)
            if read.succeeded {
                #expect(mismatch(read.output, pattern(250_000..<251_000)) == nil)
            } else {
                #expect(read.output.isEmpty && read.status == 1, "\(read)")
            }
        }
    }

    /// Field case B10.
    @Test func shortPartsAreCompleted() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        let capped = FileResource(.pattern(0..<10_000), ranges: .capped(1000))
        server.on("/f.bin") { request, _ in
            request.method == "GET" && request.header("range") == nil
                ? Answer(status: 403) : capped.answer(to: request)
        }
        try await withMount(server) { mount async throws in
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<10_000)) == nil)
            let read = try await mount.read("f.bin", at: 4096, count: 4096)
            #expect(mismatch(read.output, pattern(4096..<8192)) == nil)
        }
    }

    /// Field case B12.
    @Test func oddContentRangeSpoilsNeitherFileNorHost() async throws {
        let server = try LoopbackServer(listing: "eq.bin", "star.bin", "none.bin", "good.bin")
        let all = Body.pattern(0..<5000)
        server.on(
            "/eq.bin",
            FileResource(all, ranges: .wrong { ($0, "bytes=\($0.lowerBound)-\($0.upperBound - 1)/5000") }).responder)
        server.on(
            "/star.bin",
            FileResource(all, ranges: .wrong { ($0, "bytes \($0.lowerBound)-\($0.upperBound - 1)/*") }).responder)
        server.on("/none.bin", FileResource(all, ranges: .wrong { _ in (0..<5000, nil) }).responder)
        server.pattern("/good.bin", 5000)
        try await withMount(server, options: "timeout=5") { mount async throws in
            for name in ["eq", "star", "none", "good"] {
                let read = try await mount.read("\(name).bin", at: 3000, count: 100)
                #expect(mismatch(read.output, pattern(3000..<3100)) == nil, "\(name): \(read.errors)")
            }
        }
        let good = server.requests("/good.bin", method: "GET")
        #expect(!good.isEmpty && good.allSatisfy { $0.status == 206 })
    }

    /// Field case B13.
    @Test func rangeBeyondTheEndRefusedIsAskedForAgainInTheFile() async throws {
        let server = try LoopbackServer(listing: "s.txt")
        let file = FileResource.pattern(84)
        server.on("/s.txt") { request, _ in
            if let range = request.header("range"), let last = range.split(separator: "-").last, (Int(last) ?? 999) > 83
            {
                return Answer(status: 416, headers: [("Content-Range", "bytes */84")])
            }
            return file.answer(to: request)
        }
        try await withMount(server) { mount async throws in
            #expect(mismatch(try await mount.bytes("s.txt"), pattern(0..<84)) == nil)
        }
    }

    /// Field case B14.
    @Test func emptyFilesAreEmptyAndNoError() async throws {
        let server = try LoopbackServer(listing: "e1", "e2")
        server.pattern("/e1", 0)
        server.on("/e2", Answer(faults: [.noContentLength]))
        try await withMount(server) { mount async throws in
            let sums = try await mount.sh(#"md5sum < "$M/e1"; md5sum < "$M/e2""#)
            #expect(sums.lines == [String](repeating: "d41d8cd98f00b204e9800998ecf8427e  -", count: 2), "\(sums)")
            let copied = try await mount.sh(#"cp "$M/e1" "$M/e2" "$T/""#)
            #expect(copied.succeeded, "\(copied)")
        }
        #expect(!server.log.contains { $0.range?.contains("0--1") == true })
    }

    /// Field case B22.
    @Test func rangesDeclaredAbsentAreNotTriedAgain() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        let file = FileResource(.pattern(0..<2_000_000), ranges: .ignored)
        server.on("/f.bin") { request, _ in file.answer(to: request).header("Accept-Ranges", "none") }
        try await withMount(server) { mount async throws in
            #expect(try await mount.sh(#"tail -c 10 "$M/f.bin""#).output == pattern(1_999_990..<2_000_000))
            #expect(try await mount.sh(#"head -c 10 "$M/f.bin""#).output == pattern(0..<10))
        }
        #expect(server.requests("/f.bin").map(\.bytesSent).reduce(0, +) <= 4_000_000)
    }

    /// Field case B23.
    @Test func rangeSupportIsJudgedPerFile() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.pattern("/f.bin", 5000)
        try await withMount(server) { mount async throws in
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<5000)) == nil)
        }
        #expect(server.requests("/f.bin").contains { $0.range != nil })
    }

    /// Field case B39.
    @Test(arguments: [400, 403, 406, 416, 501])
    func refusedRangesAreAskedForWithoutRange(status: Int) async throws {
        let server = try LoopbackServer(listing: "a.bin")
        server.on("/a.bin", FileResource(.pattern(0..<5000), ranges: .refused(status: status)).responder)
        try await withMount(server, options: "timeout=5") { mount async throws in
            let read = try await mount.cat("a.bin")
            #expect(mismatch(read.output, pattern(0..<5000)) == nil, "\(read.errors)")
        }
    }

    /// Field case B40.
    @Test func randomReadsPullLittle() async throws {
        let server = try LoopbackServer(listing: "g.bin")
        server.pattern("/g.bin", 1 << 30)
        try await withMount(server) { mount async throws in
            for block in [3, 900, 17, 450, 222, 701, 88, 613, 5, 999, 301, 77, 840, 150, 520, 666] as [Int64] {
                let offset = block * 250 * 4096
                let read = try await mount.read("g.bin", at: offset, count: 4096)
                #expect(mismatch(read.output, pattern(offset..<offset + 4096)) == nil, "\(read.errors)")
            }
        }
        // The program has ended: whatever it had asked for is counted.
        let gets = server.requests("/g.bin", method: "GET")
        #expect(gets.map(\.bytesSent).reduce(0, +) < 33_554_432)
        #expect(gets.allSatisfy { $0.range?.hasSuffix("-") == false })
    }

    /// Field case C18.
    @Test func headsOfManyFilesAreCheap() async throws {
        let server = try LoopbackServer()
        let names = (0..<50).map { "v\($0).mp4" }
        server.directory("/", names)
        for name in names { server.pattern("/\(name)", 20_000_000) }
        try await withMount(server) { mount async throws in
            let heads = try await mount.sh(#"for f in "$M"/v*.mp4; do head -c 4096 "$f"; done"#)
            let expected = (0..<50).flatMap { _ in pattern(0..<4096) }
            #expect(mismatch(heads.output, expected) == nil, "\(heads.errors)")
        }
        #expect(server.log.map(\.bytesSent).reduce(0, +) < 52_428_800)
    }
}
