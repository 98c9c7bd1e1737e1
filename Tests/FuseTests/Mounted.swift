import Fuse
import Glibc
import Platform

/// A mounted session that runs on its own thread until `end`.
final class Mounted: Sendable {
    let folder: TemporaryFolder
    let session: Session
    private let hasEnded = Condition(false)
    private let thread: Thread

    init(_ handler: any Handler, _ change: (inout MountOptions) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        var options = MountOptions(fsname: "http://h/a,b")
        change(&options)
        let session = try Session(
            handler: handler, options: options, mountPoint: folder.path, log: Log(.descriptor(2)))
        self.session = session
        let hasEnded = hasEnded
        thread = try Thread.start(name: "session") {
            session.run()
            hasEnded.update { $0 = true }
        }
    }

    /// For the test that failed before `end`.
    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    var path: String { folder.path }

    /// Waits until `run` has returned, then takes the mount down; false if it does not return.
    func end() -> Bool {
        guard hasEnded.wait(until: { $0 }, before: .now() + .seconds(20), { _ in }) != nil else { return false }
        thread.join()
        session.unmount()
        return MountTable.current().mount(at: path) == nil
    }
}
