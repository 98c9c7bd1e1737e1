import MountHarness
import Testing

/// Mounts of servers that no one here wrote, serving real directories.
struct WebServerTests {
    /// Names that some server, browser or shell has got wrong.
    private static let names = [
        "plain.txt", "with space.txt", "percent%20sign.txt", "100%.txt", "hash#tag.txt", "what?.txt", "a+b.txt",
        "a&b.txt",
        "it's.txt", "say \"hi\".txt", "semi;colon.txt", "colon:name.txt", "at@sign.txt", "[brackets].txt",
        "{braces}.txt",
        "back\\slash.txt", "tilde~.txt", "a=b.txt", "<angle>.txt", "报告 2026.txt", "😀 emoji.txt", "café.txt",
        "amp&amp;ersand.txt", "-dash.txt", "\(String(repeating: "long", count: 55)).txt",
    ]

    private static func compare(_ script: String, _ mount: SkyfsMount, _ root: String) async throws {
        let seen = try await mount.sh("cd \"$M\" && \(script)")
        let served = try await Command.run(["bash", "-c", script], directory: root)
        #expect(served.succeeded && !served.lines.isEmpty, "\(served)")
        #expect(seen.lines == served.lines, "\(seen)")
    }

    @Test(arguments: WebServer.Kind.common)
    func namesSizesAndBytesAreThoseOfTheServersDirectory(kind: WebServer.Kind) async throws {
        try await withWebServer(
            kind,
            fill: { scratch in
                for (number, name) in Self.names.enumerated() {
                    try scratch.file("root/\(name)", "file \(number)\n\(String(repeating: "x", count: number * 97))\n")
                }
                _ = try scratch.directory("root/sub dir #1")
                try scratch.file("root/sub dir #1/下.txt", "deep\n")
            },
            { server, root in
                try await withMount(["\(server.url)/"]) { mount in
                    try await Self.compare("find . -mindepth 1 | sort", mount, root)
                    try await Self.compare("find . -type f -printf '%s %p\\n' | sort -k2", mount, root)
                    try await Self.compare("find . -type f -print0 | sort -z | xargs -0 sha256sum", mount, root)
                }
            })
    }

    @Test(arguments: WebServer.Kind.common)
    func largeFileIsReadInAnyOrder(kind: WebServer.Kind) async throws {
        try await withServedMount(kind, fill: "head -c 20000003 /dev/urandom > big.bin") { mount, root async throws in
            try await Self.compare("tail -c 100000 big.bin | sha256sum", mount, root)
            for block in [17, 3, 900, 444, 1200, 0] {
                try await Self.compare(
                    "dd if=big.bin bs=16000 skip=\(block) count=2 status=none | sha256sum", mount, root)
            }
            try await Self.compare("sha256sum big.bin", mount, root)
        }
    }

    @Test(arguments: WebServer.Kind.common)
    func directoryOf200FilesIsListedWithOneRequest(kind: WebServer.Kind) async throws {
        try await withWebServer(
            kind,
            fill: { scratch in
                for number in 0..<200 { try scratch.file("root/file-\(number).txt", "\(number)\n") }
            },
            { server, _ in
                try await withMount(["\(server.url)/"]) { mount async throws in
                    #expect(try await mount.list().count == 200)
                    #expect(try await mount.list().count == 200)
                }
                await server.stop()
                #expect(server.requests == ["GET /"])
            })
    }

    @Test(arguments: WebServer.Kind.common)
    func everyFileOf200IsRight(kind: WebServer.Kind) async throws {
        let script = "for i in $(seq 200); do head -c $((i * 37)) /dev/urandom > \"f $i.bin\"; done"
        try await withServedMount(kind, fill: script) { mount, root async throws in
            let compared = try await mount.run("diff", "-r", mount.path, root)
            #expect(compared.succeeded, "\(compared)")
            try await Self.compare("find . -type f -printf '%TY-%Tm-%Td %TH:%TM %p\\n' | sort -k3", mount, root)
        }
    }

    @Test(arguments: WebServer.Kind.common)
    func missingNamesAreMissing(kind: WebServer.Kind) async throws {
        try await withServedMount(kind, fill: "mkdir sub; echo x > sub/x.txt") { mount, _ async throws in
            #expect(try await mount.cat("nothing").fails(with: "No such file or directory"))
            #expect(try await mount.cat("sub/nothing").fails(with: "No such file or directory"))
            #expect(try await mount.text("sub/x.txt") == "x\n")
        }
    }

    @Test(arguments: WebServer.Kind.common)
    func tarAndCopyTakeTheWholeTree(kind: WebServer.Kind) async throws {
        let script = """
            mkdir -p a/b/c empty
            for d in a a/b a/b/c; do head -c 70000 /dev/urandom > "$d/data 1.bin"; echo text > "$d/报告.txt"; done
            """
        try await withServedMount(kind, fill: script) { mount, root async throws in
            let archived = try await mount.sh(
                "mkdir copy && tar -cSf - -C \"$M\" . | tar -xf - -C copy && diff -r copy '\(root)'")
            #expect(archived.succeeded, "\(archived)")
            let copied = try await mount.sh("cp -r \"$M/a\" second && diff -r second '\(root)/a'")
            #expect(copied.succeeded, "\(copied)")
        }
    }

    @Test func digestAuthenticationWorksWithApache() async throws {
        try await withWebServer(
            .apache, digestUser: (name: "user", password: "pass:word"),
            fill: { try $0.file("root/secret.txt", "secret\n") },
            { server, _ in
                try await withMount(["http://user:pass%3Aword@127.0.0.1:\(server.port)/"]) { mount async throws in
                    #expect(try await mount.list() == ["secret.txt"])
                    #expect(try await mount.text("secret.txt") == "secret\n")
                }
                let place = try server.scratch.directory("mount")
                let refused = try await Command.run(
                    try SkyfsMount.arguments(["http://user:wrong@127.0.0.1:\(server.port)/"], at: place, options: ""),
                    environment: SkyfsMount.environment(home: server.scratch.path), limit: .seconds(30))
                #expect(refused.status != 0 && refused.errors.contains("401"), "\(refused)")
            })
    }
}
