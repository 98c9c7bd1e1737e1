import LoopbackServer
import MountHarness
import Platform
import Testing

/// Servers and networks that break off, refuse, stall or die.
struct FaultTests {
    /// Field case B30.
    @Test func shortBodyIsContinuedOrAnError() async throws {
        let server = try LoopbackServer(listing: "f.bin", "never.bin")
        server.on("/f.bin", FileResource(.pattern(0..<100_000), faults: [.cut(afterBody: 60_000)]).responder)
        server.on("/never.bin") { request, _ in
            let answer = FileResource.pattern(100_000).answer(to: request)
            return request.method == "HEAD" ? answer : answer.with(.cut(afterBody: 0))
        }
        try await withMount(server, options: "timeout=5") { mount async throws in
            let read = try await mount.cat("f.bin")
            #expect(mismatch(read.output, pattern(0..<100_000)) == nil, "\(read.errors)")
            let never = try await mount.cat("never.bin", limit: .seconds(60))
            #expect(never.status == 1 && never.output.isEmpty, "\(never)")
            #expect(never.errors.contains("Input/output error") || never.errors.contains("Connection timed out"))
        }
        #expect((1...10).contains(server.requests("/never.bin", method: "GET").count))
    }

    @Test func resetsInMidBodyAreContinued() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on("/f.bin") { request, _ in
            let answer = FileResource.pattern(3_000_000).answer(to: request)
            return request.count % 2 == 0 ? answer.with(.resetAfter(50_000)) : answer
        }
        try await withMount(server) { mount async throws in
            let read = try await mount.cat("f.bin")
            #expect(mismatch(read.output, pattern(0..<3_000_000)) == nil, "\(read.errors)")
        }
    }

    /// Field case B32.
    @Test func resetOfAReusedConnectionIsNotSeen() async throws {
        let server = try LoopbackServer(listing: "a.bin", "b.bin")
        let file = FileResource.pattern(300_000)
        for target in ["/a.bin", "/b.bin"] {
            server.on(target) { request, connection in
                guard request.connectionRequest == 0 else {
                    connection.reset()
                    return nil
                }
                return file.answer(to: request)
            }
        }
        try await withMount(server, options: "ttl=0.2") { mount async throws in
            for _ in 0..<4 {
                for name in ["a.bin", "b.bin"] {
                    let read = try await mount.cat(name)
                    #expect(mismatch(read.output, pattern(0..<300_000)) == nil, "\(read.errors)")
                }
                try await Task.sleep(for: .milliseconds(300))
            }
        }
    }

    /// Field case B35.
    @Test func retryAfterIsHonoured() async throws {
        let server = try LoopbackServer(listing: "f.bin", "r.bin")
        let times = Lock<[String: [Instant]]>([:])
        for (target, status, seconds) in [("/f.bin", 503, 2), ("/r.bin", 429, 1)] {
            let sequence = StatusSequence(
                [status, status], retryAfter: "\(seconds)", then: FileResource.pattern(5000).responder
            ).responder
            server.on(target) { request, connection in
                times.withLock { $0[target, default: []].append(Instant.now()) }
                return sequence(request, connection)
            }
        }
        try await withMount(server) { mount async throws in
            let read = try await mount.cat("f.bin")
            #expect(mismatch(read.output, pattern(0..<5000)) == nil, "\(read.errors)")
            #expect(try await mount.stat("r.bin", "%s") == "5000")
        }
        let asked = times.withLock { $0 }
        for (target, pause) in [("/f.bin", Duration.seconds(2)), ("/r.bin", .seconds(1))] {
            let times = try #require(asked[target])
            try #require(times.count >= 3)
            // A clock of whole seconds may have been rounded on the way; half a second is not "at once".
            #expect(times[1] - times[0] > pause - .milliseconds(100))
            #expect(times[2] - times[1] > pause - .milliseconds(100))
        }
    }

    /// Field case B37.
    @Test func stalledTransfersDoNotBlockOtherFiles() async throws {
        let server = try LoopbackServer(listing: "ok.txt", "hang.bin")
        server.on("/hang.bin") { request, _ in
            let answer = FileResource.pattern(5_000_000).answer(to: request)
            return request.method == "HEAD" ? answer : answer.with(.stall(afterBody: 100))
        }
        server.text("/ok.txt", "ok\n")
        try await withMount(server, options: "stall=3,timeout=8") { mount async throws in
            let readers = try mount.start(
                "bash", "-c",
                #"""
                for i in $(seq 32); do
                  (dd if="$M/hang.bin" bs=4096 skip=$((i * 20)) count=1 status=none >/dev/null 2>&1; echo "end $?") &
                done
                wait
                """#)
            #expect(await eventually { !server.requests("/hang.bin", method: "GET").isEmpty })
            let other = try await mount.cat("ok.txt", limit: .seconds(10))
            #expect(other.text == "ok\n", "\(other)")
            #expect(try await mount.list(limit: .seconds(10)) == ["hang.bin", "ok.txt"])
            #expect(readers.output.isEmpty, "the readers were to hang meanwhile")
            #expect(await readers.wait(within: .seconds(60)) == .status(0))
            let ends = String(decoding: readers.output, as: UTF8.self).split(separator: "\n")
            #expect(ends.count == 32 && ends.allSatisfy { $0 == "end 1" }, "\(ends)")
        }
    }

    /// Field case B44.
    @Test func statusesBecomeErrors() async throws {
        let names = [("k401", 401), ("k403", 403), ("k404", 404), ("k410", 410), ("k500", 500)]
        let server = try LoopbackServer(listing: "k401", "k403", "k404", "k410", "k500")
        for (name, status) in names { server.on("/\(name)", Answer(status: status)) }
        let expected = [
            "k401": "Permission denied", "k403": "Permission denied", "k404": "No such file or directory",
            "k410": "No such file or directory", "k500": "Input/output error",
        ]
        try await withMount(server, options: "timeout=3") { mount async throws in
            for (name, words) in expected {
                let read = try await mount.cat(name, limit: .seconds(30))
                #expect(read.status == 1 && read.errors.contains(words), "\(name): \(read)")
            }
        }
    }

    @Test func forbiddenIsMissingWhereAskedFor() async throws {
        let server = try LoopbackServer(listing: "k403", "k500")
        server.on("/k403", Answer(status: 403))
        server.on("/k500", Answer(status: 500))
        try await withMount(server, options: "forbidden_is_missing,timeout=2") { mount async throws in
            #expect(try await mount.cat("k403").fails(with: "No such file or directory"))
            #expect(try await mount.cat("k500").fails(with: "Input/output error"))
        }
    }

    /// Field case C09.
    @Test func sickFileSpoilsNeitherDirectoryNorItself() async throws {
        let server = try LoopbackServer(listing: "a.txt", "sick.txt", "z.txt")
        server.text("/a.txt", "a\n")
        server.text("/z.txt", "z\n")
        server.on("/sick.txt", Answer(status: 500))
        try await withMount(server, options: "ttl=0.5,timeout=3") { mount async throws in
            #expect(try await mount.list().count == 3)
            let long = try await mount.sh(#"ls -l "$M" 2>/dev/null | grep -c -E ' (a|z)\.txt$'"#)
            #expect(long.text == "2\n")
            let sick = try await mount.cat("sick.txt")
            #expect(sick.status == 1 && sick.errors.contains("Input/output error"), "\(sick)")
            #expect(try await mount.text(of: #"cat "$M/a.txt" "$M/z.txt""#) == "a\nz\n")
            server.text("/sick.txt", "well\n")
            try await Task.sleep(for: .seconds(1.2))
            #expect(try await mount.text("sick.txt") == "well\n")
        }
    }

    /// Field case C15.
    @Test func serverThatComesBackIsUsedAgain() async throws {
        let server = try LoopbackServer(listing: "a.bin", "b.bin")
        server.pattern("/a.bin", 300_000)
        server.pattern("/b.bin", 300_000)
        try await withMount(server, options: "ttl=0.5,timeout=3,connect_timeout=1") { mount async throws in
            #expect(mismatch(try await mount.bytes("a.bin"), pattern(0..<300_000)) == nil)
            server.stop()
            let dead = try await mount.cat("b.bin", limit: .seconds(30))
            #expect(dead.status == 1 && !dead.errors.contains("No such file"), "\(dead)")
            try server.start()
            try await Task.sleep(for: .seconds(1.5))
            let back = try await mount.cat("b.bin")
            #expect(mismatch(back.output, pattern(0..<300_000)) == nil, "\(back)")
        }
    }

    @Test func readGoesOnWhenTheServerComesBackInTime() async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on("/f.bin", FileResource(.pattern(0..<6_000_000), faults: [.rate(bytesPerSecond: 1_500_000)]).responder)
        try await withMount(server, options: "timeout=30") { mount async throws in
            let reader = try mount.start("cat", "\(mount.path)/f.bin")
            #expect(await eventually(within: .seconds(30)) { reader.output.count > 200_000 })
            server.stop()
            try await Task.sleep(for: .milliseconds(700))
            server.pattern("/f.bin", 6_000_000)
            try server.start()
            #expect(await reader.wait(within: .seconds(60)) == .status(0), "\(reader.errors)")
            #expect(mismatch(reader.output, pattern(0..<6_000_000)) == nil)
        }
    }

    @Test func deadServerEndsItsReadersAndLeavesOthersAlone() async throws {
        let dead = try LoopbackServer(listing: "f.bin")
        let alive = try LoopbackServer(listing: "g.bin")
        dead.on("/f.bin", FileResource(.pattern(0..<50_000_000), faults: [.rate(bytesPerSecond: 1_000_000)]).responder)
        alive.pattern("/g.bin", 5_000_000)
        defer { dead.stop() }
        defer { alive.stop() }
        try await withMount(
            ["dead=\(dead.url)/", "alive=\(alive.url)/"], options: "timeout=4,connect_timeout=1"
        ) { mount async throws in
            let reader = try mount.start("cat", "\(mount.path)/dead/f.bin")
            #expect(await eventually(within: .seconds(30)) { !reader.output.isEmpty })
            dead.stop()
            let other = try await mount.cat("alive/g.bin", limit: .seconds(20))
            #expect(mismatch(other.output, pattern(0..<5_000_000)) == nil, "\(other.errors)")
            #expect(try await mount.list() == ["alive", "dead"])
            #expect(await reader.wait(within: .seconds(40)) == .status(1))
            // What did arrive was right.
            let count = Int64(reader.output.count)
            #expect(mismatch(reader.output, pattern(0..<count)) == nil)
        }
    }

    /// Field case C26.
    @Test func everyOperationEndsWhateverTheServerDoes() async throws {
        let server = try LoopbackServer(listing: "mute.bin", "mute/", "ok.txt")
        for target in ["/mute.bin", "/mute/", "/mute/x"] {
            server.on(target) { _, connection in
                connection.waitForClose(atMost: .seconds(120))
                return nil
            }
        }
        server.text("/ok.txt", "ok\n")
        try await withMount(server, options: "timeout=3,stall=2") { mount async throws in
            for command in [
                "stat $M/mute.bin", "cat $M/mute.bin", "ls $M/mute", "stat $M/mute/x", "head -c1 $M/mute.bin",
            ] {
                let ended = try await mount.sh(command, limit: .seconds(30))
                #expect(ended.status != nil, "\(command): \(ended)")
                #expect(!ended.errors.contains("No such file"), "\(command): \(ended)")
            }
            #expect(try await mount.text("ok.txt", limit: .seconds(10)) == "ok\n")
        }
    }

    @Test(arguments: [
        "NONSENSE\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 OK 200\r\n\r\nx",
        "HTTP/9.9 200 OK\r\nContent-Length: 1\r\n\r\nx",
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 9-1/3\r\nContent-Length: 2\r\n\r\nxy",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 200 OK\r\nETag: \"a",
    ])
    func brokenAnswersAreErrors(bytes: String) async throws {
        let server = try LoopbackServer(listing: "f.bin", "ok.txt")
        server.on("/f.bin", .raw(bytes, faults: [.closes]))
        server.text("/ok.txt", "ok\n")
        try await withMount(server, options: "timeout=3,stall=1") { mount async throws in
            let read = try await mount.cat("f.bin", limit: .seconds(30))
            #expect(read.status == 1 && read.output.count <= 1, "\(read)")
            #expect(try await mount.text("ok.txt") == "ok\n")
        }
    }

    @Test func endlessHeadsAreCutOff() async throws {
        let server = try LoopbackServer(listing: "f.bin", "ok.txt")
        server.on("/f.bin") { _, connection in
            try? connection.write(Array("HTTP/1.1 200 OK\r\n".utf8))
            let line = Array("X-Filler: \(String(repeating: "x", count: 1000))\r\n".utf8)
            // The client is to close long before.
            for _ in 0..<200_000 {
                do { try connection.write(line) } catch { break }
            }
            return nil
        }
        server.text("/ok.txt", "ok\n")
        try await withMount(server, options: "timeout=5") { mount async throws in
            let read = try await mount.cat("f.bin", limit: .seconds(60))
            #expect(read.status == 1 && read.output.isEmpty, "\(read)")
            #expect(try await mount.text("ok.txt") == "ok\n")
        }
    }
}
