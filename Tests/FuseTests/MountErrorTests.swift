import Foundation
import Platform
import Testing

@testable import Fuse

struct MountErrorTests {
    private func failure(at path: String, _ change: (inout MountOptions) -> Void = { _ in }) -> MountError? {
        var options = MountOptions(fsname: "test")
        change(&options)
        do {
            let session = try Session(handler: StubHandler(), options: options, mountPoint: path, log: Log(.nowhere))
            session.unmount()
            return nil
        } catch { return error }
    }

    @Test func missingMountPoint() { #expect(failure(at: "/nowhere/at/all") == .mountPointMissing("/nowhere/at/all")) }

    @Test func fileAsMountPoint() {
        #expect(failure(at: "/etc/passwd") == .notADirectory("/etc/passwd"))
        #expect(failure(at: "/etc/passwd/x") == .notADirectory("/etc/passwd/x"))
    }

    @Test func unknownOptionIsNamed() throws {
        let folder = try TemporaryFolder()
        guard case .invalidOption(let words) = failure(at: folder.path, { $0.extra = ["frobnicate"] }) else {
            Issue.record("no such error")
            return
        }
        #expect(words.contains("frobnicate"))
    }

    @Test func everyErrorHasWords() {
        let errors: [MountError] = [
            .noDevice, .notPermitted("/p"), .mountPointMissing("/p"), .notADirectory("/p"), .staleMount("/p"),
            .alreadyMounted("/p"), .unreachable("/p", .io), .fusermountMissing, .allowOtherNotPermitted,
            .invalidOption(""), .refused(""),
        ]
        for error in errors { #expect(!error.description.isEmpty) }
        #expect(Set(errors.map(\.description)).count == errors.count)
    }
}
