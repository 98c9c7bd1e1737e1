package import Platform

/// Limits and identities of a client. Defaults are the documented ones.
package struct HTTPConfiguration: Sendable {
    package var connectTimeout = Duration.seconds(10)
    /// A transfer without a byte for this long has failed.
    package var stallTimeout = Duration.seconds(15)
    /// How long a server may take to answer once it has the whole form of an upload, and to send the answer's body. More
    /// than the 60 s that proxies usually grant (nginx, Apache).
    package var answerTimeout = Duration.seconds(120)
    /// Bulk and metadata connections per host in all.
    package var connectionsPerHost = 8
    package var userAgent: String
    /// By the origin they belong to.
    package var credentials: [Origin: Credentials] = [:]
    /// Requests to these origins are signed.
    package var signing: [Origin: RequestSigning] = [:]
    /// A netrc file for hosts without credentials of their own; nil for none.
    package var netrc: String?
    package var log: Log

    package init(userAgent: String, log: Log) {
        self.userAgent = userAgent
        self.log = log
    }
}
