/// What a writer that waits for the server (`upload=wait`) is told about the version it asked for.
package enum UploadVerdict: Hashable, Sendable {
    case accepted
    case failed(FailureReason)
    /// There will be no verdict: the content changed, the file was renamed or removed, its name is not one that is
    /// sent, or the queue stops. Its bytes are safe all the same, unless it was removed.
    case withdrawn
}
