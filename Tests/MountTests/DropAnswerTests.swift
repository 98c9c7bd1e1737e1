import LoopbackServer
import MountHarness
import Platform
import Testing

/// What becomes of a file by what the server answers.
struct DropAnswerTests {
    private static let form = "<html><body><form><input name=u><input type=\"password\" name=p></form></body></html>"

    private static func json(_ text: String) -> Answer {
        Answer(headers: [("Content-Type", "application/json")], body: .text(text))
    }

    private static func xml(_ text: String) -> Answer {
        Answer(headers: [("Content-Type", "application/xml")], body: .text(text))
    }

    /// Drops a file into the scene's folder that the server refuses, and checks that it lies in `failed/`, is whole, and
    /// is not sent a second time.
    private static func expectSetAside(_ drop: DropScene, _ words: String, attempts: ClosedRange<Int> = 1...1)
        async throws
    {
        try await drop.put("k.txt", "keep\n")
        let queue = try await drop.mount.dropQueue { $0.isEmpty && $0.failed == 1 }
        #expect(queue.failed == 1 && queue.paused == nil, "\(queue)")
        #expect(drop.uploads.filter { $0.status != nil }.isEmpty)
        #expect(try await drop.list() == [])
        #expect(try await drop.mount.list("failed") == ["k.txt", "k.txt.error.txt"])
        #expect(try await drop.mount.text("failed/k.txt") == "keep\n")
        let told = try await drop.mount.text("failed/k.txt.error.txt")
        #expect(told.contains(words), "\(told)")
        try await drop.mount.dropQueue { $0.isEmpty }
        #expect(attempts.contains(drop.attempts.count), "\(drop.attempts.count)")
        #expect(Set(drop.attempts.map(\.key)).count == 1)
    }

    @Test(arguments: [400, 404, 405, 409, 410, 413, 415, 422, 507])
    func refusedFilesAreSetAsideWithTheReason(status: Int) async throws {
        try await withDrop { drop in
            let answer = Answer(status: status, body: .text("no room for \u{1B}[31mred\u{7} things"))
            drop.target.behave { $0.contentLength ?? 0 < 1_000_000 ? .refuse(answer) : .accept }
            if status == 507 {
                // 5xx: the server may take it later.
                try await drop.put("k.txt", "keep\n")
                #expect(await eventually { drop.attempts.count >= 2 })
                drop.target.behave(.accept)
                #expect(await drop.arrive(1))
                return
            }
            try await Self.expectSetAside(drop, "\(status)")
            let told = try await drop.mount.text("failed/k.txt.error.txt")
            #expect(told.contains("no room for") && told.contains("things"), "\(told)")
            #expect(!told.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F }, "\(told)")
        }
    }

    /// Field case D12.
    @Test(arguments: [
        (json("{\"success\":false,\"error\":\"quota\"}"), "quota"),
        (json("{\"error\":\"用户名不存在\"}"), "用户名不存在"),
        (json("{\"ok\":false}"), "ok"), (json("{\"error\":{\"code\":7}}"), "7"),
        (
            xml(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>InternalError</Code><Message>try again</Message></Error>\n"
            ), "try again"
        ),
    ])
    func errorInTheBodyOfA200IsNoSuccess(answer: Answer, words: String) async throws {
        try await withDrop { drop in
            drop.target.script([.refuse(answer)])
            try await Self.expectSetAside(drop, words)
            // Moving it back asks again.
            try await drop.must(#"mv "$M/failed/k.txt" "$M/k.txt""#)
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.sizes == ["k.txt 5"])
            #expect(try await drop.mount.list("failed") == [])
        }
    }

    @Test(arguments: [
        "{\"error\":null,\"ok\":true}", "{\"error\":false}", "{\"error\":\"\"}", "{\"files\":[{\"error\":0}]}", "[]",
        "nonsense",
    ])
    func bodyWithoutAnErrorIsASuccess(body: String) async throws {
        try await withDrop { drop in
            drop.target.behave(UploadBehaviour(.answer(Self.json(body)), isKept: true))
            try await drop.put("a.txt", "x")
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(try await drop.mount.list("sent") == ["a.txt.json"])
            #expect(drop.attempts.count == 1)
        }
    }

    @Test func loginPageIsNoSuccess() async throws {
        try await withDrop { drop in
            drop.target.behave(.refuse(.html(Self.form)))
            try await Self.expectSetAside(drop, "login")
        }
    }

    @Test func successCanBeSetInTheConfiguration() async throws {
        let configuration = { (url: String) in
            """
            { sources: { drop: { type: "drop", url: "\(url)/upload",
                success: { status: [303], json: "stored", text: "fine" } } } }
            """
        }
        try await withDrop(sources: { server, scratch in
            ["--config", try scratch.file("c.json5", configuration(server.url), mode: 0o600)]
        }) { drop in
            var redirect = Self.json("{\"stored\":true,\"a\":\"fine\"}").header("Location", "/done")
            redirect.status = 303
            let answers: [Answer] = [
                redirect, Self.json("{\"stored\":true,\"a\":\"fine\"}"),
                Self.json("{\"stored\":false,\"a\":\"fine\"}"), Self.json("{\"stored\":true}"),
            ]
            drop.target.script(answers.map { UploadBehaviour(.answer($0), isKept: true) })
            for number in 0..<4 {
                try await drop.must("echo \(number) > \"$M/drop/\(number).txt\"")
                #expect(await drop.arrive(number + 1))
                try await drop.drain()
            }
            #expect(try await drop.mount.list("drop/sent") == ["0.txt.json", "1.txt.json"])
            let failed = try await drop.mount.list("drop/failed")
            #expect(failed == ["2.txt", "2.txt.error.txt", "3.txt", "3.txt.error.txt"])
        }
    }

    /// Field case D13.
    @Test(arguments: [false, true])
    func fileThatIsTooLargeDoesNotHoldUpOthers(answersEarly: Bool) async throws {
        try await withDrop { drop in
            drop.target.behave { attempt in
                guard attempt.contentLength ?? 0 > 1_000_000 else { return .accept }
                let refusal = UploadBehaviour.refuse(Answer(status: 413).with(.closes))
                return answersEarly ? refusal.reading(1000) : refusal
            }
            try await drop.put("big.bin", pattern(0..<2_000_000))
            for number in 1...3 { try await drop.put("s\(number).txt", "\(number)") }
            #expect(await drop.arrive(3))
            try await drop.mount.dropQueue { $0.isEmpty && $0.failed == 1 }
            #expect(drop.names == ["s1.txt", "s2.txt", "s3.txt"])
            #expect(drop.attempts.filter { $0.status == 413 }.count == 1)
            #expect(mismatch(try await drop.mount.bytes("failed/big.bin"), pattern(0..<2_000_000)) == nil)
            #expect(try await drop.mount.text("failed/big.bin.error.txt").contains("413"))
        }
    }

    /// Field case D14.
    @Test(arguments: [401, 403])
    func refusedLoginPausesTheTargetAndLosesNothing(status: Int) async throws {
        try await withDrop { drop in
            drop.target.behave(.refuse(status, headers: [("WWW-Authenticate", "Bearer realm=\"x\"")]))
            for number in 1...5 { try await drop.put("t\(number).txt", "\(number)") }
            let queue = try await drop.mount.dropQueue { $0.paused != nil && $0.sending == 0 && $0.pending == 5 }
            #expect(queue.failed == 0, "\(queue)")
            #expect(try await drop.list().count == 5)
            let before = drop.attempts.count
            // At most one for each connection.
            #expect(before <= 3)
            drop.target.behave(.accept)
            drop.mount.process.signal(1)
            #expect(await drop.arrive(5))
            try await drop.drain()
            #expect(drop.names == (1...5).map { "t\($0).txt" })
            #expect(drop.attempts.count <= before + 6)
        }
    }

    @Test func pausedTargetIsProbedWithOneFile() async throws {
        try await withDrop { drop in
            drop.target.behave(.refuse(401))
            for number in 1...5 { try await drop.put("t\(number).txt", "\(number)") }
            try await drop.mount.dropQueue { $0.paused != nil && $0.sending == 0 }
            let before = drop.attempts.count
            // The first probe comes after 10 s.
            #expect(await eventually(within: .seconds(60)) { drop.attempts.count > before })
            #expect(drop.attempts.count == before + 1)
            drop.target.behave(.accept)
            // The second comes 20 s later, and lets the others go.
            #expect(await drop.arrive(5, within: .seconds(120)))
            try await drop.drain()
            #expect(drop.attempts.count == before + 6)
        }
    }

    /// Field case D15.
    @Test func queueIsKeptWhileTheServerIsDown() async throws {
        try await withDrop { drop in
            drop.server.stop()
            for number in 1...3 {
                try await drop.put("q\(number).bin", pattern(Int64(number)..<Int64(50_000 + number)))
            }
            try await drop.mount.dropQueue { $0.files.count == 3 && $0.files.contains { $0.attempts >= 2 } }
            #expect(try await drop.list() == ["q1.bin", "q2.bin", "q3.bin"])
            #expect(mismatch(try await drop.mount.bytes("q2.bin"), pattern(2..<50_002)) == nil)
            try drop.server.start()
            #expect(await drop.arrive(3))
            try await drop.drain()
            #expect(drop.sizes == ["q1.bin 50000", "q2.bin 50000", "q3.bin 50000"])
            #expect(drop.attempts.count == 3)
        }
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func passingTroubleIsTriedAgain(status: Int) async throws {
        try await withDrop { drop in
            drop.target.script(Array(repeating: .refuse(status), count: 4))
            try await drop.put("a.txt", "x\n")
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.attempts.map(\.status) == Array(repeating: status, count: 4) + [201])
            #expect(Set(drop.attempts.map(\.key)).count == 1)
            #expect(try await drop.mount.list("failed") == [])
        }
    }

    @Test func retryAfterHoldsForTheWholeTarget() async throws {
        try await withDrop { drop in
            drop.target.script([.refuse(503, headers: [("Retry-After", "3")])])
            try await drop.put("a.txt", "x")
            #expect(await eventually { drop.attempts.first?.isOpen == false })
            try await drop.put("b.txt", "y")
            #expect(await drop.arrive(2))
            let starts = drop.attempts.map(\.start)
            #expect(starts.dropFirst().allSatisfy { $0 - starts[0] >= .milliseconds(2900) })
        }
    }

    /// Field case D24.
    @Test(arguments: [307, 308])
    func redirectsThatKeepTheMethodAreFollowedWithTheWholeBody(status: Int) async throws {
        try await withDrop { drop in
            let second = UploadTarget(keeping: 1 << 20)
            second.install(on: drop.server, at: "/upload2")
            drop.target.behave(.refuse(status, headers: [("Location", "/upload2")]))
            try await drop.put("x.bin", pattern(0..<100_000))
            #expect(await eventually { second.uploads.count == 1 })
            try await drop.drain()
            #expect(mismatch(second.uploads.first?.file?.content ?? [], pattern(0..<100_000)) == nil)
            #expect(drop.attempts.count == 1 && second.attempts.count == 1)
            #expect(second.attempts.first?.key == drop.attempts.first?.key)
            #expect(try await drop.mount.list("sent") == ["x.bin.json"])
        }
    }

    /// Field case D24, the others.
    @Test(arguments: [301, 302, 303])
    func redirectsThatDropTheBodyAreNoSuccess(status: Int) async throws {
        try await withDrop { drop in
            let second = UploadTarget()
            second.install(on: drop.server, at: "/upload2")
            drop.server.on("/upload2", method: "GET", Answer(body: .text("hi")))
            drop.target.behave(.refuse(status, headers: [("Location", "/upload2")]))
            try await Self.expectSetAside(drop, "\(status)")
            #expect(second.attempts.isEmpty)
            #expect(drop.server.requests("/upload2").isEmpty)
        }
    }

    @Test func endlessRedirectsAreNoSuccess() async throws {
        try await withDrop { drop in
            drop.target.behave(.refuse(307, headers: [("Location", "/upload")]))
            try await drop.put("k.txt", "keep\n")
            try await drop.mount.dropQueue { $0.isEmpty && $0.failed == 1 || $0.files.contains { $0.attempts >= 2 } }
            #expect(drop.uploads.isEmpty)
            let kept = try await drop.sh(#"cat "$M/k.txt" "$M/failed/k.txt" 2>/dev/null"#)
            #expect(kept.text == "keep\n", "\(kept)")
        }
    }

    @Test func lostAnswerIsAskedForAgainWithTheSameKey() async throws {
        try await withDrop { drop in
            drop.target.script([.loseAnswer])
            try await drop.put("a.txt", "x\n")
            #expect(await drop.arrive(2))
            try await drop.drain()
            #expect(drop.attempts.map(\.status) == [nil, 201])
            #expect(Set(drop.attempts.map(\.key)).count == 1)
            #expect(drop.attempts.allSatisfy { $0.file?.text == "x\n" })
        }
    }

    @Test func answersLostAgainAndAgainLeaveTheResultUnknown() async throws {
        try await withDrop { drop in
            drop.target.behave(.loseAnswer)
            try await Self.expectSetAside(drop, "unknown", attempts: 3...4)
        }
    }

    /// A connection that breaks before the body is out says that the server cannot have the file.
    @Test func brokenConnectionsAreTriedForEver() async throws {
        try await withDrop { drop in
            drop.target.script(Array(repeating: .reset(afterBody: 50_000), count: 6))
            try await drop.put("a.bin", pattern(0..<3_000_000))
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.attempts.count == 7)
            #expect(Set(drop.attempts.map(\.key)).count == 1)
        }
    }

    /// No byte is taken any more.
    @Test func stalledUploadsAreTriedAgain() async throws {
        try await withDrop(DropScene.quick + ",stall=1") { drop in
            drop.target.script([UploadBehaviour(.silence, isKept: false).reading(10_000)])
            // More than the socket buffers of both ends take.
            try await drop.put("a.bin", pattern(0..<16_000_000))
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.attempts.count == 2)
        }
    }

    /// The whole form went out, and then nothing comes: after four times `timeout` the answer counts as lost.
    @Test func answerThatNeverComesIsALostOne() async throws {
        try await withDrop(DropScene.quick + ",timeout=1") { drop in
            drop.target.script([UploadBehaviour(.silence, isKept: true)])
            try await drop.put("a.txt", "x\n")
            #expect(await drop.arrive(2))
            try await drop.drain()
            #expect(drop.attempts.map(\.status) == [nil, 201])
            #expect(Set(drop.attempts.map(\.key)).count == 1)
        }
    }

    @Test func answersThatAreNoHTTPAreNoSuccess() async throws {
        try await withDrop { drop in
            drop.target.script([
                UploadBehaviour(.answer(.raw("SMTP ready\r\n", faults: [.closes])), isKept: false),
                UploadBehaviour(.answer(.raw("HTTP/1.1 201 Created\r\nContent-Le", faults: [.closes])), isKept: false),
            ])
            try await drop.put("a.txt", "x\n")
            #expect(await drop.arrive(1))
            try await drop.drain()
            #expect(drop.attempts.count == 3)
        }
    }
}
