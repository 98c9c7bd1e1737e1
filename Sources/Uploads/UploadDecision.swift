/// What ends a version's way: the server has it, or it is set aside.
enum UploadDecision: Sendable {
    case accepted(UploadSend, status: Int, words: String)
    case failed(FailureReason)

    var verdict: UploadVerdict {
        switch self {
        case .accepted: .accepted
        case .failed(let reason): .failed(reason)
        }
    }
}
