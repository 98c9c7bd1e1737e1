import Glibc
import Platform

/// The kernel's read-ahead limit of one mount, which FUSE starts at 128 KiB and only `/sys/class/bdi` can raise.
final class ReadAhead: Sendable {
    private struct State {
        /// "major:minor" of the mounted file system; nil without a kernel.
        var device: String?
        /// KiB; nil: leave it alone.
        var wanted: Int?
        /// INIT is answered. Before that the kernel would overwrite the value with its own limit.
        var isReady = false
    }

    private let state = Lock(State())
    private let log: Log

    init(log: Log) { self.log = log }

    func setDevice(_ device: String?) { change { $0.device = device } }
    func setWanted(kibibytes: Int) { change { $0.wanted = kibibytes } }
    func setReady() { change { $0.isReady = true } }

    private func change(_ body: (inout State) -> Void) {
        let order = state.withLock { state -> (device: String, kibibytes: Int)? in
            body(&state)
            guard state.isReady, let device = state.device, let wanted = state.wanted else { return nil }
            return (device, wanted)
        }
        guard let order else { return }
        let path = "/sys/class/bdi/\(order.device)/read_ahead_kb"
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return log.debug("read-ahead stays as it is: \(path): \(Errno.current)") }
        defer { close(descriptor) }
        let text = "\(order.kibibytes)"
        if write(descriptor, text, text.utf8.count) < 0 {
            log.debug("read-ahead stays as it is: \(path): \(Errno.current)")
        }
    }
}
