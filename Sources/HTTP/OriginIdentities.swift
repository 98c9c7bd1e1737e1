import CCurl
import Platform

/// Who we are to each origin: credentials, the kind of authentication it wants, and its cookies. None of it ever goes to
/// another origin. Confined to the network thread.
struct OriginIdentities {
    private let credentials: [Origin: Credentials]
    private let signing: [Origin: RequestSigning]
    private let netrc: String?
    /// The scheme an origin asked for, so that later requests need no 401 first.
    private var schemes: [Origin: Int] = [:]
    /// Cookies and TLS sessions, one share an origin. RFC 6265 shares cookies between ports; we are stricter.
    private var shares: [Origin: UnsafeMutableRawPointer] = [:]
    /// Servers could send us to ever new origins; those beyond this number get no cookies back.
    private static let maximumShares = 1024

    init(_ configuration: HTTPConfiguration) {
        credentials = configuration.credentials
        signing = configuration.signing
        netrc = configuration.netrc
    }

    /// What signs a request: keys count only where the user sent it.
    func signing(for origin: Origin, source: Origin) -> RequestSigning? { origin == source ? signing[origin] : nil }

    /// - Parameter source: the origin of the request before redirects. A netrc file knows hosts only, so it counts for that
    ///   origin alone: a redirect to another port or scheme of the host gets nothing from it.
    mutating func apply(to easy: EasyHandle, for origin: Origin, source: Origin) {
        let signing = signing(for: origin, source: source)
        if let signing {
            easy.set(CURLOPT_USERNAME, signing.accessKey)
            easy.set(CURLOPT_PASSWORD, signing.secretKey)
        } else if let known = credentials[origin] {
            easy.set(CURLOPT_USERNAME, known.user)
            easy.set(CURLOPT_PASSWORD, known.password)
        } else if let netrc, origin == source {
            easy.set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
            easy.set(CURLOPT_NETRC_FILE, netrc)
        }
        // Basic is not sent before the server asked: a server that wants Digest never sees the password.
        easy.set(CURLOPT_HTTPAUTH, schemes[origin] ?? Self.basic | Self.digest)
        if let signing { easy.set(CURLOPT_AWS_SIGV4, signing.provider) }
        // Cookies live in the share only: a handle serves many origins.
        let share = share(for: origin)
        if share != nil { easy.enableCookies() }
        easy.set(CURLOPT_SHARE, share)
    }

    /// For an upload, after `apply`. Nothing is sent twice to find out what the origin wants, for a file may be large: Basic
    /// goes out at once, unless the origin is known to want Digest. That begins with an empty request of libcurl's, to which
    /// the origin says no.
    /// - Returns: whether Digest may do if the origin says no to this.
    func chooseUploadScheme(on easy: EasyHandle, for origin: Origin, source: Origin, wantsDigest: Bool) -> Bool {
        let isDigest = wantsDigest || schemes[origin] == Self.digest
        easy.set(CURLOPT_HTTPAUTH, isDigest ? Self.digest : Self.basic)
        return !isDigest && (credentials[origin] != nil || netrc != nil && origin == source)
    }

    private mutating func share(for origin: Origin) -> UnsafeMutableRawPointer? {
        if let share = shares[origin] { return share }
        guard shares.count < Self.maximumShares, let share = curl_share_init() else { return nil }
        _ = ccurl_share_setopt_data(share, CURL_LOCK_DATA_COOKIE)
        _ = ccurl_share_setopt_data(share, CURL_LOCK_DATA_SSL_SESSION)
        shares[origin] = share
        return share
    }

    /// Learns from an answer which kind of authentication the origin wants.
    mutating func note(_ easy: EasyHandle?, origin: Origin, status: Int) {
        guard let easy else { return }
        if status == 401 {
            // The way that worked no longer does; the next request asks anew.
            schemes[origin] = nil
            return
        }
        let offered = easy.number(CURLINFO_HTTPAUTH_AVAIL)
        if offered & Self.digest != 0 {
            schemes[origin] = Self.digest
        } else if offered & Self.basic != 0 {
            schemes[origin] = Self.basic
        }
    }

    /// After the last easy handle is gone.
    mutating func removeAll() {
        for share in shares.values { curl_share_cleanup(share) }
        shares = [:]
    }

    // CURLAUTH_BASIC and CURLAUTH_DIGEST, which do not import.
    private static let basic = 1
    private static let digest = 2
}
