import Glibc

/// A POSIX thread with a name, joined by its owner.
package struct Thread: Sendable {
    private let handle: pthread_t

    /// Starts a thread that runs `body`. `name` is cut at 15 bytes, the kernel's limit.
    /// - Throws: the error of `pthread_create`, for example when the process has no room for another thread.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) -> Thread {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var handle = pthread_t()
        // SAFETY: the new thread takes the one retained reference; on failure it is taken back here.
        let result = pthread_create(&handle, nil, runThread, start.toOpaque())
        guard result == 0 else {
            start.release()
            throw Errno(rawValue: result)
        }
        return Thread(handle: handle)
    }

    /// Waits until the thread has ended. Call it once.
    package func join() { pthread_join(handle, nil) }

    fileprivate final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    // SAFETY: balances the `passRetained` of `Thread.start`.
    let start = Unmanaged<Thread.Start>.fromOpaque(argument).takeRetainedValue()
    setThreadName(String(start.name.prefix(15)))
    start.body()
    return nil
}

/// `pthread_setname_np` is a GNU extension that Glibc's module does not show; the kernel's file does the same.
private func setThreadName(_ name: String) {
    let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = write(descriptor, name, name.utf8.count)
    close(descriptor)
}
