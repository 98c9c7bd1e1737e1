import CCurl

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
    /// The request itself is not fit to be sent, for example for a control character in it.
    case refusedRequest(String)
    /// The body is larger than the caller's limit.
    case tooLarge
    /// Anything else libcurl reports, in its words.
    case other(String)

    /// Whether the same request may well succeed a little later.
    package var isTransient: Bool {
        switch self {
        case .notConnected, .stalled, .cut, .noAnswer, .other: true
        case .cancelled, .notResolved, .tls, .timedOut, .badHead, .tooManyRedirects, .refusedRedirect, .refusedRequest,
            .tooLarge:
            false
        }
    }
}

extension TransferError {
    /// What libcurl's code means.
    /// - Parameters:
    ///   - received: body bytes that were delivered; nil if no head was.
    ///   - isConnected: whether the request had a connection.
    ///   - isResolved: whether the host's address was known.
    init(_ code: CURLcode, received: Int64?, isConnected: Bool, isResolved: Bool) {
        let words = String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .notResolved(words)
        case CURLE_COULDNT_CONNECT: self = .notConnected(words)
        case CURLE_OPERATION_TIMEDOUT:
            self = isResolved ? .notConnected("connecting took too long") : .notResolved("the resolver did not answer")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND:
            self = .tls(words)
        // Out of memory is also what libcurl says of a header line over 100 KiB; HTTP/0.9 is an unsupported protocol.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_OUT_OF_MEMORY:
            self = .badHead(words)
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            if let received {
                self = .cut(received: received)
            } else {
                self = isConnected ? .noAnswer(words) : .notConnected(words)
            }
        // Only of uploads: libcurl wanted to send the form again over another connection.
        case CURLE_SEND_FAIL_REWIND: self = .noAnswer("the connection ended")
        default: self = .other(words)
        }
    }
}
