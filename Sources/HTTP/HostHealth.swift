/// How one host does, for the status report.
package struct HostHealth: Sendable {
    package var origin: Origin
    /// The host asked for a pause (Retry-After) that lasts this long.
    package var pausedFor: Duration?
    /// Of its last request; nil if that got an answer.
    package var lastError: TransferError?
}
