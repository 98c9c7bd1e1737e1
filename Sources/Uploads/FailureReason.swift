/// Why a file was set aside in `failed/`.
package enum FailureReason: Hashable, Sendable {
    /// Its writer or this program ended before the content was whole; it was never sent like that.
    case incomplete
    /// The server answered and will not take it.
    case refused(status: Int, words: String)
    /// It went out whole so many times, and no answer ever came.
    case resultUnknown(tries: Int, words: String)
}
