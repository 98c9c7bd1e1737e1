import MountHarness
import Testing

/// Drop folders whose files go to programs that no one here wrote.
struct UploadReceiverTests {
    private static let quick = "settle=0.2,retry=0.2"

    /// Names and what a server finds in the form: quotes and line breaks are escaped as browsers do it.
    private static let names = [
        ("plain.txt", "plain.txt"), ("with space.txt", "with space.txt"), ("say \"hi\".txt", "say %22hi%22.txt"),
        ("it's.txt", "it's.txt"), ("percent%20sign.txt", "percent%20sign.txt"), ("100%.txt", "100%.txt"),
        ("%41%zz.txt", "%41%zz.txt"), ("two\nlines.txt", "two%0Alines.txt"), ("报告 2026.txt", "报告 2026.txt"),
        ("😀.txt", "😀.txt"), ("café.txt", "café.txt"), ("semi;colon=x.txt", "semi;colon=x.txt"),
        ("a+b&c#d.txt", "a+b&c#d.txt"), ("filename=x; name=y.txt", "filename=x; name=y.txt"),
        ("-dash.txt", "-dash.txt"),
    ]

    private static func withReceiver(
        _ kind: UploadReceiver.Kind, limit: String = "64M", _ body: (UploadReceiver, SkyfsMount) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        var failure: (any Error)?
        do {
            let receiver = try await UploadReceiver.start(kind, in: scratch, limit: limit)
            do {
                try await withMount(receiver.sources, options: quick) { mount in try await body(receiver, mount) }
            } catch {
                failure = HarnessError(
                    "\(error)\n\(kind) wrote: \(receiver.process.errors) \(scratch.text("error.log"))")
            }
            await receiver.stop()
        } catch {
            failure = error
        }
        await scratch.remove()
        if let failure { throw failure }
    }

    /// Names and digests of the files of a folder, one a line.
    private static func digests(_ folder: String) async throws -> [String] {
        let script = "find . -type f -not -path './.hist/*' -printf '%P\\0' | sort -z | xargs -0 -r sha256sum"
        return try await Command.run(["bash", "-c", script], directory: folder).lines
    }

    @Test(arguments: UploadReceiver.Kind.allCases)
    func namesAndBytesArriveAsTheyAre(kind: UploadReceiver.Kind) async throws {
        try await Self.withReceiver(kind) { receiver, mount in
            let expected = try mount.scratch.directory("expected")
            // The longest name Linux has. Two receivers add a suffix to it while they write.
            let long = String(repeating: "n", count: kind == .copyparty ? 200 : 251) + ".bin"
            for (number, name) in (Self.names + [(long, long)]).enumerated() {
                let text =
                    "\(number)\r\n--\r\n----------\r\n\r\n--\(number)--\r\n"
                    + String(repeating: "x", count: number * 977)
                try mount.scratch.file("expected/\(name.1)", text)
                let copied = try await mount.run("cp", "\(expected)/\(name.1)", "\(mount.path)/\(name.0)")
                #expect(copied.succeeded, "\(copied)")
            }
            let queue = try await mount.dropQueue { $0.isEmpty }
            #expect(queue.failed == 0 && queue.sent == Self.names.count + 1, "\(queue)")
            #expect(try await Self.digests(receiver.folder) == Self.digests(expected))
        }
    }

    @Test(arguments: UploadReceiver.Kind.allCases)
    func emptyAndLargeFilesArrive(kind: UploadReceiver.Kind) async throws {
        try await Self.withReceiver(kind) { receiver, mount in
            let expected = try mount.scratch.directory("expected")
            let made = try await mount.sh(
                #"cd "$T/expected" && : > empty.txt && head -c 20000003 /dev/urandom > large.bin && cp * "$M""#)
            #expect(made.succeeded, "\(made)")
            let queue = try await mount.dropQueue { $0.isEmpty }
            #expect(queue.failed == 0 && queue.sent == 2, "\(queue)")
            #expect(try await Self.digests(receiver.folder) == Self.digests(expected))
        }
    }

    @Test(arguments: UploadReceiver.Kind.allCases)
    func manyFilesArriveOnceEach(kind: UploadReceiver.Kind) async throws {
        try await Self.withReceiver(kind) { receiver, mount in
            let expected = try mount.scratch.directory("expected")
            let made = try await mount.sh(
                #"cd "$T/expected" && for i in $(seq 60); do head -c $((i * 999)) /dev/urandom > $i.bin; done && cp * "$M""#
            )
            #expect(made.succeeded, "\(made)")
            let queue = try await mount.dropQueue { $0.isEmpty }
            #expect(queue.failed == 0 && queue.sent == 60, "\(queue)")
            #expect(try await Self.digests(receiver.folder) == Self.digests(expected))
        }
    }

    /// An answer for people, with links and forms in it.
    @Test func pageThatReportsSuccessIsASuccess() async throws {
        let scratch = try Scratch()
        let receiver = try await UploadReceiver.start(.copyparty, in: scratch)
        do {
            let sources = receiver.sources.dropLast() + ["drop+http://127.0.0.1:\(receiver.port)/"]
            try await withMount(Array(sources), options: Self.quick) { mount async throws in
                #expect(try await mount.sh(#"echo x > "$M/a.txt""#).succeeded)
                let queue = try await mount.dropQueue { $0.isEmpty }
                #expect(queue.sent == 1, "\(queue)")
                #expect(try await mount.text("sent/a.txt.json").contains("<html"))
            }
        } catch {
            await receiver.stop()
            await scratch.remove()
            throw error
        }
        await receiver.stop()
        await scratch.remove()
    }

    /// PHP says so with status 200, or finds an empty form.
    @Test func limitsOfPHPAreNoSuccess() async throws {
        try await Self.withReceiver(.php, limit: "1M") { receiver, mount in
            let made = try await mount.sh(
                #"head -c 1500000 /dev/zero > "$M/over-a-file.bin"; head -c 5000000 /dev/zero > "$M/over-a-form.bin"; echo x > "$M/fits.txt""#
            )
            #expect(made.succeeded, "\(made)")
            let queue = try await mount.dropQueue { $0.isEmpty }
            #expect(queue.failed == 2 && queue.sent == 1, "\(queue)")
            #expect(try await mount.text("failed/over-a-file.bin.error.txt").contains("no file: 1"))
            #expect(try await mount.text("failed/over-a-form.bin.error.txt").contains("no file"))
            #expect(try await Self.digests(receiver.folder).count == 1)
        }
    }
}
