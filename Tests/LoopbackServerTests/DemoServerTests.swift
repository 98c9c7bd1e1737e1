import Foundation
import Testing

/// The program itself, as `skyfs demo` and shell benchmarks start it.
@Suite struct DemoServerTests {
    private final class Program {
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        private(set) var firstLine = ""

        init(_ arguments: [String]) throws {
            // The tests are a program of their own, built into the same directory as the others.
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
                .deletingLastPathComponent().appendingPathComponent("skyfs-demo-server")
            process.arguments = arguments
            process.standardInput = input
            process.standardOutput = output
            process.standardError = output
            try process.run()
            while !firstLine.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1) {
                firstLine += String(decoding: byte, as: UTF8.self)
            }
            firstLine = String(firstLine.dropLast())
        }

        deinit { if process.isRunning { process.terminate() } }

        func port() throws -> Int { try #require(URL(string: firstLine)?.port ?? Int(firstLine)) }
    }

    @Test func servesTheSampleTreeAndCounts() throws {
        let program = try Program([])
        #expect(program.firstLine.hasPrefix("http://127.0.0.1:") && program.firstLine.hasSuffix("/"))
        let client = try RawClient(port: try program.port())

        client.get("/")
        let root = client.readAnswer()
        #expect(String(decoding: root.body, as: UTF8.self).contains("<a href=\"big.bin\">big.bin</a>"))
        client.get("/big.bin", headers: ["Range: bytes=67108860-"])
        #expect(isPattern(client.readAnswer().body, 67_108_860..<67_108_864))
        client.get("/pictures")
        #expect(client.readAnswer().head.contains("Location: /pictures/"))
        client.get("/pictures/red.bmp")
        let picture = client.readAnswer()
        #expect(picture.body.count == 54 + 64 * 64 * 3)
        client.get("/%E6%97%A5%E6%9C%AC%20%E4%B8%AD%E6%96%87/%2541%20is%20not%20A.txt")
        let awkward = client.readAnswer()
        #expect(String(decoding: awkward.body, as: UTF8.self) == "This file is called %41 is not A.txt\n")
        for target in ["/no", "/README.txt/", "/README.txt/x", "/.stats/x", "/.pattern/-1"] {
            client.get(target)
            #expect(client.readAnswer().status == 404, "\(target)")
        }
        for target in ["/%zz", "/a%2Fb", "/%00", "/../x"] {
            client.get(target)
            #expect(client.readAnswer().status == 400, "\(target)")
        }
        client.get("/webservices/DomesticAirline.asmx/getDomesticCity")
        let cities = client.readAnswer().body
        #expect(String(decoding: cities, as: UTF8.self).contains("<cnCityName>上海</cnCityName>"))
        client.get("/.pattern/1000")
        #expect(isPattern(client.readAnswer().body, 0..<1000))

        let bytes = root.body.count + cities.count + 4 + picture.body.count + awkward.body.count + 1000
        for _ in 0..<2 {
            client.get("/.stats")
            let body = String(decoding: client.readAnswer().body, as: UTF8.self)
            #expect(body == "{\"requests\":16,\"bytes\":\(bytes)}\n")
        }
    }

    @Test func takesUploadsAndListsThem() throws {
        let program = try Program([])
        let client = try RawClient(port: try program.port())
        let body =
            "--B\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nsays \"hi\"\n\r\n--B\r\n"
            + "Content-Disposition: form-data; name=\"file\"; filename=\"中 a\\b.txt\"\r\nContent-Type: text/plain\r\n\r\n"
            + "abc\r\n--B--\r\n"
        client.get("/.uploads")
        #expect(client.readAnswer().body == Array("[]\n".utf8))
        client.get(
            "/upload", method: "POST",
            headers: ["Content-Type: multipart/form-data; boundary=B", "Content-Length: \(body.utf8.count)"])
        client.send(body)
        #expect(client.readAnswer().status == 201)
        client.get("/.uploads")
        #expect(
            String(decoding: client.readAnswer().body, as: UTF8.self) == """
                [{"name":"中 a\\\\b.txt","field":"file","type":"text/plain","size":3,\
                "sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",\
                "fields":{"note":"says \\"hi\\"\\u000a"}}]

                """)
        client.get("/upload")
        #expect(client.readAnswer().status == 404)
    }

    @Test func endsWithItsInput() throws {
        let program = try Program([])
        try program.input.fileHandleForWriting.close()
        program.process.waitUntilExit()
        #expect(program.process.terminationStatus == 0)
        #expect(program.process.terminationReason == .exit)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func endsAtASignal(_ signal: Int32) throws {
        let program = try Program(["--port", "0"])
        kill(program.process.processIdentifier, signal)
        program.process.waitUntilExit()
        #expect(program.process.terminationStatus == 0)
        #expect(program.process.terminationReason == .exit)
    }

    @Test func relaysWithADelay() throws {
        let server = try Program([])
        let relay = try Program(
            ["relay", "--to", "\(try server.port())", "--delay-ms", "10", "--rate", "1000000"])
        let client = try RawClient(port: try relay.port())
        client.get("/.pattern/5000")
        #expect(isPattern(client.readAnswer().body, 0..<5000))
    }

    @Test(arguments: [
        ["relay"], ["relay", "--to", "80"], ["relay", "--to", "0", "--delay-ms", "1"], ["--port"], ["--port", "65536"],
        ["--prot", "1"], ["relay", "--to", "80", "--delay-ms", "1", "--rate", "0"],
    ])
    func wrongArgumentsAreRefused(_ arguments: [String]) throws {
        let program = try Program(arguments)
        program.process.waitUntilExit()
        #expect(program.process.terminationStatus == 2)
        #expect(program.firstLine.hasPrefix("skyfs-demo-server: "))
    }
}
