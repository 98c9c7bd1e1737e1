package import HTTP
package import Uploads

/// One file on its way to a target.
extension DropTarget {
    /// The form that holds a file.
    /// - Parameters:
    ///   - path: below the drop folder, for `pathField`; nil if there is no folder.
    ///   - key: for Idempotency-Key; the same for each try with the same bytes.
    package func form(
        fileName: String, path: String?, mediaType: String, content: FileContent, key: String
    ) -> FormUpload {
        var form = FormUpload(
            url: url, fileField: fileField, fileName: fileName, mediaType: mediaType, content: content)
        form.fields = parameters
        if let pathField, let path { form.fields.append((pathField, path)) }
        form.headers = headers + [("Idempotency-Key", key)]
        return form
    }

    /// What became of it.
    package func outcome(of result: UploadResult) -> SendOutcome {
        switch result {
        case .answered(let response):
            let head = response.head
            return rule.judge(
                status: head.status, mediaType: head.mediaType, body: response.body, retryAfter: head.retryAfter)
        case .failed(let error, let isFullySent):
            switch error {
            case .cancelled: return .cancelled
            case .notResolved, .notConnected, .tls: return .unreachable(words: error.words)
            case .tooManyRedirects, .refusedRedirect, .refusedRequest: return .refused(status: 0, words: error.words)
            case .stalled, .timedOut, .cut, .noAnswer, .badHead, .tooLarge, .other:
                return isFullySent ? .lost(words: error.words) : .notSent(words: error.words)
            }
        }
    }
}
