/// Where a file of the queue stands. The raw values are shown in the status report.
package enum UploadState: String, Sendable, CaseIterable {
    /// Open for writing.
    case writing
    /// Under a name that is never sent.
    case parked
    /// Closed, and not quiet for long enough yet; or empty beside the partial download it holds a place for.
    case settling
    /// Waits for its turn, or for the target to come back.
    case queued
    case sending
    /// A try failed; the next one is due later.
    case waiting
    /// It went out whole and no answer came; it will be sent again under the same key.
    case unknown
    /// Set aside in `failed/`.
    case failed
}
