/// Why a request got no usable answer. A status such as 404 is an answer, not one of these.
package enum TransferError: Error, Hashable, Sendable {
    case cancelled
    /// The host name is unknown, or the resolver did not answer in time.
    case notResolved(String)
    /// Nobody listens, no route, or connecting took longer than `connect_timeout`.
    case notConnected(String)
    /// Certificate or handshake.
    case tls(String)
    /// No byte came for the `stall` time.
    case stalled
    /// The whole request took longer than its deadline.
    case timedOut
    /// The connection ended early or was reset after the head; `received` body bytes were delivered and are good.
    case cut(received: Int64)
    /// The connection ended before any answer.
    case noAnswer(String)
    /// A head that cannot be believed: broken, too large, contradictory lengths, unreadable status line.
    case badHead(String)
    case tooManyRedirects
    /// A redirect this program does not follow: https to http, a public source to a private address, a foreign scheme.
    case refusedRedirect(String)
    /// The body is larger than the caller's limit.
    case tooLarge
    /// Anything else libcurl reports, in its words.
    case other(String)

    /// Whether the same request may well succeed a little later.
    package var isTransient: Bool {
        switch self {
        case .notConnected, .stalled, .cut, .noAnswer, .other: true
        case .cancelled, .notResolved, .tls, .timedOut, .badHead, .tooManyRedirects, .refusedRedirect, .tooLarge: false
        }
    }
}
