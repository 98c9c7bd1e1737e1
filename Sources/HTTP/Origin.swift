/// Scheme, host and port: what credentials, cookies and extra headers belong to and never leave (RFC 6454).
package struct Origin: Hashable, Sendable {
    /// Lower case, "http" or "https".
    package let scheme: String
    /// Lower case; an IPv6 address keeps its brackets.
    package let host: String
    /// Always a number: the scheme's default port is filled in.
    package let port: Int

    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
