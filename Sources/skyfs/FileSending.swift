import HTTP
import Platform

/// One upload of `skyfs put`: what the network thread tells, for the thread that waits.
final class FileSending: UploadObserver {
    struct Progress {
        var sent: Int64 = 0
        var total: Int64 = 0
        var result: UploadResult?
    }

    private let progress = Condition(Progress())

    func progressed(sent: Int64, total: Int64) {
        progress.update {
            $0.sent = sent
            $0.total = total
        }
    }

    func finish(_ result: UploadResult) { progress.update { $0.result = result } }

    /// Waits for the end and meanwhile tells several times a second how far it is.
    func result(_ tell: (Progress) -> Void) -> UploadResult {
        while true {
            let limit = Instant.now() + .milliseconds(200)
            if let result = progress.wait(until: { $0.result != nil }, before: limit, { $0.result }) ?? nil {
                return result
            }
            tell(progress.update { $0 })
        }
    }
}
