import LoopbackServer
import Platform
import Testing

@Suite struct LoopbackServerTests {
    @Test func servesAFileWithRanges() throws {
        let server = try LoopbackServer()
        server.on("/f", FileResource.pattern(5_000).responder)
        let client = try RawClient(port: server.port)

        client.get("/f", method: "HEAD")
        let head = client.readAnswer(hasBody: false)
        #expect(head.status == 200)
        #expect(head.head.contains("Content-Length: 5000"))
        #expect(head.head.contains("Accept-Ranges: bytes"))
        #expect(head.head.contains("ETag: \"e1\""))

        client.get("/f", headers: ["Range: bytes=1000-1999"])
        let part = client.readAnswer()
        #expect(part.status == 206)
        #expect(part.head.contains("Content-Range: bytes 1000-1999/5000"))
        #expect(part.body == Pattern.bytes(1000..<2000))

        client.get("/f", headers: ["Range: bytes=5000-"])
        let refused = client.readAnswer()
        #expect(refused.status == 416)
        #expect(refused.head.contains("Content-Range: bytes */5000"))

        client.get("/f")
        #expect(client.readAnswer().body == (0..<5000).map { UInt8($0 % 251) })

        #expect(server.log.map(\.status) == [200, 206, 416, 200])
        #expect(server.log.map(\.bytesSent) == [0, 1000, 0, 5000])
        #expect(server.log.map(\.range) == [nil, "bytes=1000-1999", "bytes=5000-", nil])
        #expect(server.connectionsOpened == 1)
    }
}
