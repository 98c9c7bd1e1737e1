import Glibc
import MountHarness
import Platform
import Testing

@testable import skyfs

/// Reports as a mount shows them, in a plain folder.
struct UploadWaitTests {
    private static func report(pending: Int = 0, sending: Int = 0, failed: Int = 0, paused: String? = nil) -> String {
        """
        {"pid":1,"drop":[{"name":"up","target":"https://h/u","pending":\(pending),"sending":\(sending),
        "failed":\(failed),"sent":1,"paused":\(paused.map { "\"\($0)\"" } ?? "null"),"files":[]}]}
        """
    }

    private func withReport(_ text: String, _ body: (Scratch) async throws -> Void) async throws {
        let scratch = try Scratch()
        _ = try scratch.directory(".skyfs")
        _ = try scratch.file(".skyfs/status.json", text)
        try await body(scratch)
        await scratch.remove()
    }

    @Test func anEmptyQueueIsNotWaitedFor() async throws {
        try await withReport(Self.report()) { scratch async throws in
            let wait = UploadWait(mount: scratch.path)
            let reports = try #require(wait.run())
            #expect(reports.count == 1 && wait.failures(reports) == nil)
        }
        try await withReport(#"{"pid":1}"#) { #expect(UploadWait(mount: $0.path).run() == []) }
    }

    @Test(arguments: ["{", #"{"drop":5}"#])
    func aReportThatCannotBeReadEndsTheWait(text: String) async throws {
        try await withReport(text) { #expect(UploadWait(mount: $0.path).run() == nil) }
        #expect(UploadWait(mount: "/nonexistent").run() == nil)
    }

    @Test func itEndsOnceNothingIsLeft() async throws {
        try await withReport(Self.report(pending: 1)) { scratch async throws in
            let wait = UploadWait(mount: scratch.path, tells: false)
            let ended = Condition(false)
            let result = Lock<[DropReport]?>(nil)
            _ = try Thread.start(name: "waiting") {
                let reports = wait.run()
                result.withLock { $0 = reports }
                ended.update { $0 = true }
            }
            let new = "\(scratch.path)/.skyfs/new"
            try scratch.file(".skyfs/new", Self.report(sending: 1))
            #expect(rename(new, "\(scratch.path)/.skyfs/status.json") == 0)
            #expect(!ended.update { $0 })
            try scratch.file(".skyfs/new", Self.report(failed: 2))
            #expect(rename(new, "\(scratch.path)/.skyfs/status.json") == 0)
            #expect(ended.wait(until: { $0 }, before: .now() + .seconds(30)) { $0 } == true)
            let reports = try #require(result.withLock { $0 })
            let error = try #require(wait.failures(reports))
            #expect(error.code == .failure && error.message == "2 files could not be sent")
            #expect(error.advice?.hasSuffix("\(scratch.path)/up/failed") ?? false)
        }
    }

    @Test func whatIsWaitedForIsSaid() throws {
        var report = DropReport(name: "", target: "https://h/u", pending: 1, sending: 0, failed: 0, paused: nil)
        #expect(report.words == "1 file to go to https://h/u")
        report.sending = 2
        report.paused = "the server says 401"
        #expect(report.words == "3 files to go to https://h/u (paused: the server says 401)")
        #expect(report.failedFolder("/mnt") == "/mnt/failed")
    }
}
