/// How an upload ended.
package enum UploadResult: Sendable {
    /// The server's verdict, with any status and at most 64 KiB of its body (the rest is dropped). Also one that came before
    /// the whole form was sent, and a refusal (status 300 and above) whose body was cut off.
    case answered(Response)
    /// No verdict.
    /// - isFullySent: whether the whole form had gone out, so that the server may have it all the same.
    case failed(TransferError, isFullySent: Bool)
}
