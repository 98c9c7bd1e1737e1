import LoopbackServer
import MountHarness
import Testing

/// What the form looks like to the server.
struct DropWireTests {
    @Test func formIsThatOfABrowser() async throws {
        try await withDrop(sources: { server, _ in
            [
                "--drop-field", "upload file", "--drop-param", "album=a=b & \"c\"", "--drop-param", "empty=",
                "drop+\(server.url)/upload",
            ]
        }) { drop in
            try await drop.put("report.txt", "--x\r\n--\r\n")
            try await drop.put("second.txt", "y")
            #expect(await drop.arrive(2))
            let upload = try #require(drop.uploads.first { $0.file?.fileName == "report.txt" })
            #expect(upload.parts.map(\.name) == ["album", "empty", "upload file"])
            #expect(upload.fields.map(\.text) == ["a=b & \"c\"", ""])
            #expect(
                upload.file?.head == """
                    Content-Disposition: form-data; name="upload file"; filename="report.txt"\r
                    Content-Type: text/plain
                    """)
            #expect(upload.file?.text == "--x\r\n--\r\n")
            #expect(upload.headerValues("content-length").count == 1)
            #expect(upload.headerValues("transfer-encoding").isEmpty)
            #expect(upload.headerValues("expect").isEmpty)
            #expect(upload.contentLength == upload.bytesRead)
            #expect(upload.boundary.utf8.count >= 30)
            #expect(Set(drop.uploads.map(\.boundary)).count == 2)
            #expect(Set(drop.uploads.map(\.key)).count == 2)
        }
    }

    @Test func namesAreRawUTF8WithQuotesAndLineBreaksEscaped() async throws {
        let long = String(repeating: "长", count: 85)
        let names = [
            ("with space.txt", "with space.txt"), ("say \"hi\".txt", "say %22hi%22.txt"),
            ("two\nlines.txt", "two%0Alines.txt"), ("carriage\rreturn.txt", "carriage%0Dreturn.txt"),
            ("100%22 %41.txt", "100%22 %41.txt"), ("back\\slash.txt", "back\\slash.txt"), ("报告.pdf", "报告.pdf"),
            ("😀.png", "😀.png"), ("semi;colon=x.txt", "semi;colon=x.txt"), (long, long), ("-dash", "-dash"),
        ]
        try await withDrop { drop in
            for name in names { try await drop.put(name.0, "x") }
            #expect(await drop.arrive(names.count))
            try await drop.drain()
            #expect(drop.names == names.map(\.1).sorted())
            #expect(drop.attempts.allSatisfy { $0.flaw == nil })
        }
    }

    @Test func typeComesFromTheName() async throws {
        try await withDrop { drop in
            // The content of one says otherwise, and does not count.
            try await drop.put("a.png", "<html>")
            try await drop.put("b.json", "x")
            try await drop.put("c.unheard-of", "x")
            try await drop.put("noextension", "x")
            #expect(await drop.arrive(4))
            let types = drop.uploads.sorted { $0.file?.fileName ?? "" < $1.file?.fileName ?? "" }
                .map { $0.file?.mediaType }
            #expect(
                types == ["image/png", "application/json", "application/octet-stream", "application/octet-stream"])
        }
    }

    @Test func passwordsGoAlongAndAreShownNowhere() async throws {
        try await withDrop(
            sources: { server, _ in ["drop+http://user:s3cr3tpw@127.0.0.1:\(server.port)/upload?token=t0k3n"] }
        ) { drop in
            drop.target.install(on: drop.server, at: "/upload?token=t0k3n")
            try await drop.put("a.txt", "x")
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.uploads.first?.headerValues("authorization") == ["Basic dXNlcjpzM2NyM3Rwdw=="])
            let told = try await drop.sh(
                #"cat "$M/.skyfs/status" "$M/.skyfs/status.json" "$M/sent/a.txt.json"; cat /proc/self/mounts"#)
            #expect(told.text.contains("127.0.0.1"), "\(told)")
            #expect(!told.text.contains("s3cr3tpw") && !told.text.contains("t0k3n"))
            #expect(!drop.mount.process.errors.contains("s3cr3tpw"))
            #expect(!drop.mount.process.errors.contains("t0k3n"))
        }
    }

    @Test func passwordsDoNotFollowARedirectElsewhere() async throws {
        let other = try LoopbackServer()
        defer { other.stop() }
        let second = UploadTarget()
        second.install(on: other)
        try await withDrop(
            sources: { server, _ in ["drop+http://user:s3cr3tpw@127.0.0.1:\(server.port)/upload"] }
        ) { drop in
            drop.target.behave(.refuse(307, headers: [("Location", "\(other.url)/upload")]))
            try await drop.put("a.txt", "x\n")
            #expect(await eventually { second.uploads.count == 1 })
            #expect(drop.attempts.allSatisfy { $0.headerValues("authorization").count == 1 })
            #expect(second.attempts.allSatisfy { $0.headerValues("authorization").isEmpty })
            #expect(second.uploads.first?.file?.text == "x\n")
        }
    }
}
