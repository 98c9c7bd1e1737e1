import CCurl
import Platform

/// What uploads need beyond other transfers.
extension NetworkLoop {
    /// - Returns: false if memory ran out.
    func prepare(_ upload: RunningUpload, on easy: EasyHandle, for transfer: Transfer) -> Bool {
        upload.begin()
        guard let body = FormBody(upload.form, for: easy) else { return false }
        upload.body = body
        easy.set(CURLOPT_MAXAGE_CONN, Self.uploadIdleSeconds)
        return true
    }

    /// Younger than any server's idle limit: a form must not go out over a connection that is about to be closed, for
    /// nobody could say then whether it arrived.
    private static let uploadIdleSeconds = 3

    /// Asks the running try how much of the form has gone out.
    func noteSent(_ transfer: Transfer) {
        guard let upload = transfer.upload, let easy = transfer.easy else { return }
        let count = upload.note(
            sent: easy.offset(CURLINFO_SIZE_UPLOAD_T), total: easy.offset(CURLINFO_CONTENT_LENGTH_UPLOAD_T))
        guard count > 0 else { return }
        transfer.noteProgress(now: .now())
        statistics.withLock { $0.uploadedBytes += count }
    }
}
