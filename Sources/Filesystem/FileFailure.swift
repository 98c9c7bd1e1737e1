import HTTP
import Listings

/// Why an operation on a remote file or directory failed.
enum FileFailure: Error, Hashable, Sendable {
    /// The server's final answer has this status.
    case status(Int)
    /// No usable answer.
    case transfer(TransferError)
    /// The resource is no longer the version that was opened.
    case changed
    /// An answer that contradicts the request or what is known; the text says how.
    case wrongAnswer(String)
    /// A manifest cannot be used; the text says why.
    case manifest(String)
    /// A directory's answer is not a listing.
    case listing(ListingError)
    /// No progress for the operation timeout.
    case noProgress
    /// The file system is shutting down.
    case shutDown

    /// Whether a directory may hold files all the same: it is there but shows no list of them.
    var isRefusedListing: Bool {
        switch self {
        case .status(403), .status(405), .status(501), .listing(.notAListing): true
        default: false
        }
    }

    /// For people: log, status and `user.skyfs.error`.
    var words: String {
        switch self {
        case .status(let status): "the server answered \(status)"
        case .transfer(let error): error.words
        case .changed: "the file changed on the server while it was read; open it again"
        case .wrongAnswer(let how): "the server's answer cannot be right: \(how)"
        case .manifest(let why): "the manifest cannot be used: \(why)"
        case .listing(.notAListing(let what)): "the answer is not a directory listing: \(what)"
        case .listing(.tooLarge): "the directory listing is too large"
        case .listing(.malformed(let how)): "the directory listing cannot be read: \(how)"
        case .noProgress: "no progress within the timeout"
        case .shutDown: "the file system is being unmounted"
        }
    }
}

extension TransferError {
    /// For people.
    var words: String {
        switch self {
        case .cancelled: "cancelled"
        case .notResolved(let detail): "the host name cannot be resolved (\(detail))"
        case .notConnected(let detail): "cannot connect (\(detail))"
        case .tls(let detail): "no secure connection (\(detail))"
        case .stalled: "the server sent nothing for too long"
        case .timedOut: "the server took too long"
        case .cut(let received): "the connection ended early, after \(received) bytes"
        case .noAnswer(let detail): "the connection ended without an answer (\(detail))"
        case .badHead(let detail): "the answer's head is broken (\(detail))"
        case .tooManyRedirects: "too many redirects"
        case .refusedRedirect(let why): "a redirect that is not followed (\(why))"
        case .refusedRequest(let why): "the request cannot be sent (\(why))"
        case .tooLarge: "the answer is too large"
        case .other(let detail): detail
        }
    }
}
