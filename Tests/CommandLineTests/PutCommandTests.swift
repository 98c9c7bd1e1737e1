import Glibc
import HTTP
import LoopbackServer
import MountHarness
import Testing

@testable import skyfs

struct PutCommandTests {
    // MARK: Words

    @Test func theFormIsReadFromTheOptions() throws {
        let command = try PutCommand(
            [
                "a.txt", "--to", "https://h/up?k=v", "--field=f", "--param", "z=1", "b.txt", "--param=a=2", "--header",
                "X-Key: k", "--success", "status=303", "--", "--c",
            ])
        #expect(command.paths == ["a.txt", "b.txt", "--c"])
        #expect(command.url.text == "https://h/up?k=v")
        #expect(command.form.fileField == "f" && command.form.statuses == [303])
        #expect(command.form.parameters == [.init(name: "z", value: "1"), .init(name: "a", value: "2")])
        #expect(command.form.headers == [.init(name: "X-Key", value: "k")])
    }

    @Test(arguments: [
        [], ["a.txt"], ["--to", "http://h/"], ["a.txt", "--to"], ["a.txt", "--to", "h/up"],
        ["a.txt", "--to", "ftp://h/"],
        ["a.txt", "--to", "http://h/", "--param", "x"], ["a.txt", "--to", "http://h/", "--header", "x"],
        ["a.txt", "--to", "http://h/", "--feild", "x"],
    ])
    func whatCannotBeMeantIsRefused(words: [String]) {
        #expect { try PutCommand(words) } throws: { ($0 as? CommandError)?.code == .usage }
    }

    // MARK: The program

    /// An upload target on a server of its own, and the program in a folder with a file or two.
    private func withTarget(
        at path: String = "/upload", _ body: (CommandScene, UploadTarget, String) async throws -> Void
    ) async throws {
        let server = try LoopbackServer()
        let target = UploadTarget()
        target.install(on: server, at: path)
        defer { server.stop() }
        try await withScene { scene async throws in
            try scene.scratch.file("a.txt", "hello\n")
            try scene.scratch.file("ü \"b\".json", "{}")
            try await body(scene, target, "\(server.url)\(path)")
        }
    }

    @Test func filesGoUpOneAfterTheOther() async throws {
        try await withTarget { scene, target, url async throws in
            let put = try await scene.skyfs(
                "put", "a.txt", "\(scene.scratch.path)/ü \"b\".json", "--to", url, "--field", "datei", "--param", "z=1",
                "--param", "a=", "--header", "X-Key: k")
            #expect(put.succeeded && put.errors.isEmpty, "\(put)")
            #expect(put.lines.count == 2 && put.lines[0].hasPrefix("a.txt: sent, 6 bytes, "), "\(put)")
            #expect(!put.text.contains("\u{1B}"))
            let uploads = target.uploads
            #expect(uploads.map { $0.file?.fileName } == ["a.txt", "ü %22b%22.json"])
            #expect(uploads.map { $0.file?.mediaType } == ["text/plain", "application/json"])
            #expect(uploads.allSatisfy { $0.file?.name == "datei" })
            #expect(uploads.allSatisfy { $0.fields.map { "\($0.name)=\($0.text)" } == ["z=1", "a="] })
            #expect(uploads.allSatisfy { $0.headerValues("x-key") == ["k"] })
            #expect(Set(uploads.compactMap(\.key)).count == 2)
            #expect(uploads.first?.file?.text == "hello\n")
        }
    }

    @Test func aMistakeInTheLastNameSendsNothing() async throws {
        try await withTarget { scene, target, url async throws in
            _ = try scene.scratch.directory("folder")
            mkfifo("\(scene.scratch.path)/pipe", 0o600)
            for name in ["missing.txt", "folder", "pipe", "/dev/null"] {
                let put = try await scene.skyfs("put", "a.txt", name, "--to", url)
                #expect(put.status == 2 && put.errors.contains(name), "\(put)")
            }
            #expect(try await scene.skyfs("put", "folder", "--to", url).errors.contains("tar -cf"))
            #expect(target.attempts.isEmpty)
        }
    }

    @Test func aRefusedFileDoesNotStopTheOthers() async throws {
        try await withTarget { scene, target, url async throws in
            target.script([.refuse(413), .accept])
            let put = try await scene.skyfs("put", "a.txt", "ü \"b\".json", "--to", url)
            #expect(put.status == 1 && put.errors.contains("a.txt") && put.errors.contains("413"), "\(put)")
            #expect(put.lines.count == 1 && target.uploads.count == 1, "\(put)")
        }
    }

    @Test(arguments: [401, 403])
    func aLoginThatIsMissingHasItsExitCode(status: Int) async throws {
        try await withTarget { scene, target, url async throws in
            target.behave(.refuse(status))
            let put = try await scene.skyfs("put", "a.txt", "--to", url)
            #expect(put.status == 4 && put.errors.contains("netrc"), "\(put)")
        }
    }

    @Test func nobodyAtThePortHasItsExitCode() async throws {
        let port = try SilentPort()
        try await withScene { scene async throws in
            try scene.scratch.file("a.txt", "hello\n")
            let put = try await scene.skyfs("put", "a.txt", "--to", "\(port.url)/upload")
            #expect(put.status == 5 && put.errors.hasPrefix("skyfs: cannot send a.txt: "), "\(put)")
        }
    }

    /// With the same key, so that a server that knows keys does not take it twice.
    @Test func aBusyServerAndALostAnswerAreTriedAgain() async throws {
        try await withTarget { scene, target, url async throws in
            target.script([.refuse(503, headers: [("Retry-After", "0")]), .loseAnswer, .accept])
            let put = try await scene.skyfs("put", "a.txt", "--to", url)
            #expect(put.succeeded && put.errors.contains("again in"), "\(put)")
            #expect(target.attempts.count == 3)
            #expect(Set(target.attempts.map(\.key)).count == 1)
        }
    }

    @Test func aBusyServerIsNotTriedForEver() async throws {
        try await withTarget { scene, target, url async throws in
            target.behave(.refuse(503, headers: [("Retry-After", "0")]))
            #expect(try await scene.skyfs("put", "a.txt", "--to", url).status == 1)
            #expect(target.attempts.count == 3)
            target.clear()
            target.behave(.refuse(429, headers: [("Retry-After", "3000")]))
            #expect(try await scene.skyfs("put", "a.txt", "--to", url).status == 1)
            #expect(target.attempts.count == 1)
        }
    }

    @Test func theRuleOfSuccessDecides() async throws {
        try await withTarget { scene, target, url async throws in
            target.behave(.refuse(303, headers: [("Location", "/done")]))
            #expect(try await scene.skyfs("put", "a.txt", "--to", url).status == 1)
            #expect(try await scene.skyfs("put", "a.txt", "--to", url, "--success", "status=303").status == 0)
            target.behave(.accept)
            #expect(try await scene.skyfs("put", "a.txt", "--to", url, "--success", "json=ok").status == 0)
            #expect(try await scene.skyfs("put", "a.txt", "--to", url, "--success", "json=stored").status == 1)
            #expect(try await scene.skyfs("put", "a.txt", "--to", url, "--success", "text=stored").status == 1)
        }
    }

    @Test func userNameAndPasswordComeFromTheNetrcFile() async throws {
        try await withTarget { scene, target, url async throws in
            try scene.scratch.file(".netrc", "machine 127.0.0.1 login me password s3cret\n", mode: 0o600)
            #expect(try await scene.skyfs("put", "a.txt", "--to", url).succeeded)
            #expect(target.uploads.first?.headerValues("authorization") == ["Basic bWU6czNjcmV0"])
        }
    }

    @Test func secretsShowNowhere() async throws {
        try await withTarget(at: "/upload?sig=s3cr3t0") { scene, target, url async throws in
            target.behave(UploadBehaviour.refuse(500).after(.seconds(100)))
            let put = try scene.start(
                "put", "a.txt", "--to", url, "--param", "token=s3cr3t1", "--header=X-Key: s3cr3t2")
            #expect(await eventually { !target.attempts.isEmpty })
            let shown = CommandScene.commandLine(of: put.pid)
            #expect(shown.contains("a.txt") && !shown.contains("s3cr3t"), "\(shown)")
            put.signal(SIGTERM)
            #expect(await put.wait(within: .seconds(20)) == .signal(SIGTERM))
            #expect(!put.errors.contains("s3cr3t"))
        }
    }

    @Test func aTerminalShowsHowFarItIs() async throws {
        try await withTarget { scene, target, url async throws in
            try scene.scratch.file("big.bin", [UInt8](repeating: 7, count: 4 << 20))
            target.behave(UploadBehaviour.accept.at(bytesPerSecond: 2 << 20))
            let put = try await scene.sh(#"script -qec "'$S' put big.bin --to '\#(url)'" /dev/null </dev/null"#)
            #expect(put.succeeded && put.text.contains("% [="), "\(put)")
            #expect(put.text.contains("big.bin: sent, 4.0 MiB"), "\(put)")
        }
    }
}
