import CCurl
import Platform

/// Who we are to each origin: credentials, the kind of authentication it wants, and its cookies. None of it ever goes to
/// another origin. Confined to the network thread.
struct OriginIdentities {
    private let credentials: [Origin: Credentials]
    private let netrc: String?
    /// The scheme an origin asked for, so that later requests need no 401 first.
    private var schemes: [Origin: Int] = [:]
    /// One cookie jar an origin. RFC 6265 shares cookies between ports; we are stricter.
    private var jars: [Origin: UnsafeMutableRawPointer] = [:]

    init(_ configuration: HTTPConfiguration) {
        credentials = configuration.credentials
        netrc = configuration.netrc
    }

    /// - Parameter source: the origin of the request before redirects. A netrc file knows hosts only, so it counts for that
    ///   origin alone: a redirect to another port or scheme of the host gets nothing from it.
    mutating func apply(to easy: EasyHandle, for origin: Origin, source: Origin) {
        if let known = credentials[origin] {
            easy.set(CURLOPT_USERNAME, known.user)
            easy.set(CURLOPT_PASSWORD, known.password)
        } else if let netrc, origin == source {
            easy.set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
            easy.set(CURLOPT_NETRC_FILE, netrc)
        }
        // Basic is not sent before the server asked: a server that wants Digest never sees the password.
        easy.set(CURLOPT_HTTPAUTH, schemes[origin] ?? Self.basic | Self.digest)
        if jars[origin] == nil, let jar = curl_share_init() {
            _ = ccurl_share_setopt_data(jar, CURL_LOCK_DATA_COOKIE)
            jars[origin] = jar
        }
        easy.set(CURLOPT_COOKIEFILE, "")
        easy.set(CURLOPT_SHARE, jars[origin])
    }

    /// Learns from an answer which kind of authentication the origin wants.
    mutating func note(_ easy: EasyHandle?, origin: Origin, status: Int) {
        guard let easy, status != 401 else { return }
        let offered = easy.number(CURLINFO_HTTPAUTH_AVAIL)
        if offered & Self.digest != 0 {
            schemes[origin] = Self.digest
        } else if offered & Self.basic != 0 {
            schemes[origin] = Self.basic
        }
    }

    /// After the last easy handle is gone.
    mutating func removeAll() {
        for jar in jars.values { curl_share_cleanup(jar) }
        jars = [:]
    }

    // CURLAUTH_BASIC and CURLAUTH_DIGEST, which do not import.
    private static let basic = 1
    private static let digest = 2
}
