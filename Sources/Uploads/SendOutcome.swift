/// How one try to send a file ended. `words` are for people, already cleaned; `status` is the server's.
package enum SendOutcome: Hashable, Sendable {
    case success(status: Int, words: String)
    /// The server will never take this version.
    case refused(status: Int, words: String)
    /// The server asks for another try; `after` is its Retry-After and holds for the whole target.
    case again(after: Duration?, status: Int, words: String)
    /// 401 or 403: no file of this target gets through until the credentials change.
    case unauthorised(status: Int, words: String)
    /// No connection: nothing was sent, and another file would fare no better.
    case unreachable(words: String)
    /// Broke before the whole body was out: the server cannot have the file.
    case notSent(words: String)
    /// The whole body went out and no answer came: the server may have the file.
    case lost(words: String)
    /// Stopped by a `cancel`.
    case cancelled

    /// 0 if the server did not answer.
    package var status: Int {
        switch self {
        case .success(let status, _), .refused(let status, _), .again(_, let status, _), .unauthorised(let status, _):
            status
        case .unreachable, .notSent, .lost, .cancelled: 0
        }
    }

    package var words: String {
        switch self {
        case .success(_, let words), .refused(_, let words), .again(_, _, let words), .unauthorised(_, let words):
            words
        case .unreachable(let words), .notSent(let words), .lost(let words): words
        case .cancelled: ""
        }
    }

    /// Whether only this file has to wait; else the whole target does (`TargetPause`).
    var isOfOneFile: Bool {
        switch self {
        case .again(nil, _, _), .notSent, .lost: true
        default: false
        }
    }
}
