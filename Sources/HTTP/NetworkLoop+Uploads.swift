import CCurl
import Platform

/// What uploads need beyond other transfers.
extension NetworkLoop {
    /// - Returns: false if memory ran out.
    func prepare(_ upload: RunningUpload, of transfer: Transfer, on easy: EasyHandle) -> Bool {
        let origin = transfer.url.origin
        upload.mayUseDigest = identities.chooseUploadScheme(
            on: easy, for: origin, source: transfer.request.url.origin, wantsDigest: upload.usesDigest)
        return easy.prepareUpload(upload, of: transfer)
    }

    func watch(_ upload: RunningUpload, of transfer: Transfer, now: Instant) {
        if upload.isOverdue(now: now, patience: configuration.answerTimeout) {
            return end(transfer, .failure(.timedOut))
        }
        // A server that has the whole form may have much to do before it answers.
        let isServersTurn = upload.isFullySent && !transfer.hasDeliveredHead
        if hasStalled(
            transfer, after: isServersTurn ? configuration.answerTimeout : configuration.stallTimeout, now: now)
        {
            end(transfer, .failure(.stalled))
        }
    }
}
