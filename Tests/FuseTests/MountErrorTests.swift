import Glibc
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

    @Test func deadMountIsToldApart() throws {
        let folder = try TemporaryFolder()
        let control = try TemporaryFolder()
        let session = try Session(
            handler: StubHandler(), options: MountOptions(fsname: "test"), mountPoint: folder.path, log: Log(.nowhere))
        let device = try #require(MountTable.current().mount(at: folder.path)?.device)
        #expect(mount("none", control.path, "fusectl", 0, nil) == 0)
        let switchPath = "\(control.path)/\(device.split(separator: ":").last ?? "")/abort"
        let descriptor = open(switchPath, O_WRONLY)
        #expect(write(descriptor, "1", 1) == 1)
        close(descriptor)
        umount2(control.path, Int32(MNT_DETACH))
        #expect(failure(at: folder.path) == .staleMount(folder.path))
        session.unmount()
        #expect(MountTable.current().mount(at: folder.path) == nil)
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
