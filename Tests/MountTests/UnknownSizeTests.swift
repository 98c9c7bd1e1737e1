import LoopbackServer
import MountHarness
import Testing

/// Files whose size is told late, differently, or not at all.
struct UnknownSizeTests {
    /// Field case B01.
    @Test(arguments: [405, 501, 400, 0])
    func refusedHEADSaysNothingAboutTheFile(status: Int) async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.pattern("/f.bin", 5000)
        server.on("/f.bin", method: "HEAD") { _, connection in
            guard status != 0 else {
                connection.reset()
                return nil
            }
            return Answer(status: status, headers: [("Allow", "GET")])
        }
        try await withMount(server, options: "timeout=10") { mount async throws in
            #expect(try await mount.stat("f.bin", "%F %s") == "regular file 5000")
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<5000)) == nil)
        }
        #expect(server.requests("/f.bin/").isEmpty)
    }

    /// Field case B02.
    @Test func redirectSignedForGETOnlyIsReadable() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        let signed = "/store/f.bin?X-Sig=g1&X-Expires=3600"
        server.on("/f.bin", Answer(status: 302, headers: [("Location", signed)]))
        server.pattern(signed, 5000)
        server.on(signed, method: "HEAD", Answer(status: 403))
        try await withMount(server) { mount async throws in
            #expect(try await mount.stat("f.bin", "%s") == "5000")
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<5000)) == nil)
        }
    }

    /// Field case B03.
    @Test func lengthMissingInHEADIsTakenFromARange() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        let file = FileResource.pattern(5000)
        server.on("/f.bin", method: "HEAD") { request, _ in
            Answer(headers: [("Accept-Ranges", "bytes")], faults: [.noContentLength])
        }
        server.on("/f.bin", method: "GET") { request, _ in
            let answer = file.answer(to: request)
            return request.header("range") == nil ? answer.with(.chunked) : answer
        }
        try await withMount(server) { mount async throws in
            #expect(try await mount.stat("f.bin", "%s") == "5000")
            let read = try await mount.read("f.bin", at: 4990, count: 10)
            #expect(mismatch(read.output, pattern(4990..<5000)) == nil)
        }
    }

    /// Field case B05.
    @Test(arguments: [Fault.chunked, .noContentLength])
    func fileWithoutLengthIsReadToItsEnd(fault: Fault) async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on("/f.bin", method: "HEAD", Answer(faults: [.noContentLength]))
        server.on("/f.bin", method: "GET", Answer(body: .pattern(0..<500_000), faults: [fault]))
        try await withMount(server) { mount async throws in
            let copied = try await mount.sh(#"cp "$M/f.bin" "$T/c" && cat "$T/c""#)
            #expect(mismatch(copied.output, pattern(0..<500_000)) == nil, "\(copied.errors)")
            #expect(try await mount.text(of: #"wc -c < "$M/f.bin""#) == "500000\n")
            #expect(try await mount.sh(#"tail -c 5 "$M/f.bin""#).output == pattern(499_995..<500_000))
        }
        #expect(server.requests("/f.bin", method: "GET").count <= 3)
    }

    @Test func sizeIsZeroUntilItIsKnown() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on("/f.bin", method: "HEAD", Answer(faults: [.noContentLength]))
        server.on("/f.bin", method: "GET", Answer(body: .pattern(0..<70_000), faults: [.chunked]))
        try await withMount(server) { mount async throws in
            #expect(try await mount.stat("f.bin", "%s") == "0")
            #expect(mismatch(try await mount.bytes("f.bin"), pattern(0..<70_000)) == nil)
            #expect(try await mount.stat("f.bin", "%s") == "70000")
        }
    }

    /// Field case B06.
    @Test func lengthOfTheCompressedFormIsNotTheSize() async throws {
        let compressed: [UInt8] = [
            0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0xff, 0x4b, 0xcc, 0x29, 0xc8, 0x48, 0x54, 0x48, 0x4a, 0x2d, 0x49,
            0x54,
            0x48, 0x4f, 0xcc, 0xcd, 0x4d, 0x54, 0x48, 0x49, 0xcd, 0x01, 0xb2, 0x0d, 0x0c, 0x0c, 0xb9, 0x12, 0x71, 0x49,
            0x19, 0xe1, 0x96, 0x32, 0xe6, 0x02, 0x00, 0xa6, 0x87, 0x7f, 0xef, 0x51, 0, 0, 0,
        ]
        let plain = (1...3).map { "alpha beta gamma delta 00\($0)\n" }.joined()
        let server = try LoopbackServer(listing: "t.txt")
        let file = FileResource(.text(plain), etag: "W/\"t1\"", contentType: "text/plain")
        server.on("/t.txt") { request, _ in
            if request.header("range") != nil { return file.answer(to: request) }
            return Answer(
                headers: [("Content-Type", "text/plain"), ("Content-Encoding", "gzip"), ("ETag", "W/\"t1\"")],
                body: .bytes(compressed))
        }
        try await withMount(server) { mount async throws in
            #expect(try await mount.stat("t.txt", "%s") == "81")
            #expect(try await mount.text("t.txt") == plain)
        }
        #expect(server.requests("/t.txt").allSatisfy { $0.header("accept-encoding") ?? "identity" == "identity" })
    }

    @Test func textEncodedWithoutBeingAskedIsDecoded() async throws {
        let compressed: [UInt8] = [
            0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0xff, 0x4b, 0xcc, 0x29, 0xc8, 0x48, 0x54, 0x48, 0x4a, 0x2d, 0x49,
            0x54,
            0x48, 0x4f, 0xcc, 0xcd, 0x4d, 0x54, 0x48, 0x49, 0xcd, 0x01, 0xb2, 0x0d, 0x0c, 0x0c, 0xb9, 0x12, 0x71, 0x49,
            0x19, 0xe1, 0x96, 0x32, 0xe6, 0x02, 0x00, 0xa6, 0x87, 0x7f, 0xef, 0x51, 0, 0, 0,
        ]
        let server = try LoopbackServer(listing: "t.txt", "t.txt.gz")
        let encoded = Answer(
            headers: [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")], body: .bytes(compressed))
        server.on("/t.txt", encoded)
        server.on(
            "/t.txt.gz",
            Answer(
                headers: [("Content-Type", "application/gzip"), ("Content-Encoding", "gzip")], body: .bytes(compressed))
        )
        try await withMount(server) { mount async throws in
            #expect(
                try await mount.text("t.txt") == (1...3).map { "alpha beta gamma delta 00\($0)\n" }.joined())
            #expect(try await mount.cat("t.txt.gz").output == compressed)
        }
    }

    /// Field case B33.
    @Test func http10IsSpoken() async throws {
        let server = try LoopbackServer()
        server.on("/", .html("<a href=\"f.bin\">f.bin</a>\n", faults: [.http10, .noContentLength]))
        let plain = Answer(
            headers: [("Content-Type", "application/octet-stream")], faults: [.http10, .noContentLength])
        server.on("/f.bin", method: "HEAD", plain)
        var answer = plain
        answer.body = .pattern(0..<5000)
        server.on("/f.bin", method: "GET", answer)
        try await withMount(server) { mount async throws in
            let copied = try await mount.sh(#"cp "$M/f.bin" "$T/c" && cat "$T/c""#)
            #expect(mismatch(copied.output, pattern(0..<5000)) == nil, "\(copied.errors)")
        }
    }

    /// Field case B18.
    @Test func contradictoryLengthsNeitherHangNorMixAnswers() async throws {
        let server = try LoopbackServer(listing: "neg", "dup", "two", "ok.txt")
        server.on(
            "/neg", .raw("HTTP/1.1 200 OK\r\nContent-Length: -5\r\nConnection: close\r\n\r\nhello", faults: [.closes]))
        server.on("/dup", .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"))
        server.on(
            "/two", .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello!!", faults: [.closes]))
        for target in ["/neg", "/dup", "/two"] {
            server.on(target, method: "HEAD", .raw("HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n"))
        }
        server.text("/ok.txt", "ok\n")
        try await withMount(server, options: "timeout=3,stall=1") { mount async throws in
            #expect(try await mount.text("dup", limit: .seconds(20)) == "hello")
            for name in ["neg", "two"] {
                let read = try await mount.cat(name, limit: .seconds(20))
                #expect(
                    read.succeeded ? "hello!!".hasPrefix(read.text) && !read.text.isEmpty : read.status == 1, "\(read)")
            }
            #expect(try await mount.text("ok.txt") == "ok\n")
        }
    }
}
