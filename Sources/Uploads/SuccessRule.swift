/// What a server's answer to an upload means.
///
/// Without settings: 2xx is success unless the body reports an error (JSON with a truthy `error` or a `success` or `ok`
/// that is false, an XML document with the root `Error`, a login page).
package struct SuccessRule: Hashable, Sendable {
    /// Statuses that count as success besides 2xx, for example 303 of form servers that answer with a redirect. They
    /// count by themselves: such an answer has no body worth judging.
    package var statuses: Set<Int> = []
    /// This field of a JSON answer must be truthy. Where it or `text` is set, the body is judged by them alone.
    package var jsonField: String?
    /// This text must be in the body.
    package var text: String?

    package init() {}

    /// - Parameters:
    ///   - mediaType: the answer's Content-Type, nil if it has none.
    ///   - body: as much of it as was kept; at most 64 KiB are looked at.
    ///   - retryAfter: the answer's Retry-After from now on.
    package func judge(status: Int, mediaType: String?, body: [UInt8], retryAfter: Duration?) -> SendOutcome {
        let answer = AnswerBody(body, mediaType: mediaType)
        if statuses.contains(status), !(200..<300).contains(status) {
            return .success(status: status, words: answer.line)
        }
        if (200..<300).contains(status) {
            guard let flaw = flaw(answer) else { return .success(status: status, words: answer.line) }
            return .refused(status: status, words: DisplayLine.make("\(StatusPhrase.make(status)), but \(flaw)"))
        }
        let words = words(status, answer)
        switch status {
        case 401, 403: return .unauthorised(status: status, words: words)
        // How long a server is overloaded holds for every file.
        case 429, 503: return .again(after: retryAfter, status: status, words: words)
        case 408, 425, 500...599: return .again(after: nil, status: status, words: words)
        default: return .refused(status: status, words: words)
        }
    }

    /// Why an answer whose status is right is a failure all the same.
    private func flaw(_ answer: AnswerBody) -> String? {
        if let jsonField, answer.json?[jsonField]?.isTruthy != true {
            return "the answer does not say \(jsonField): true" + (answer.message.map { ": \($0)" } ?? "")
        }
        if let text, !answer.contains(text) { return "the answer does not contain \"\(text)\"" }
        return jsonField == nil && text == nil ? answer.flaw : nil
    }

    private func words(_ status: Int, _ answer: AnswerBody) -> String {
        let phrase = StatusPhrase.make(status)
        if (300..<400).contains(status) {
            return "\(phrase): the server sends elsewhere, which is no proof that it took the file"
        }
        return DisplayLine.make(phrase + (answer.message.map { ": \($0)" } ?? ""))
    }
}
