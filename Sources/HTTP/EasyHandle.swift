import CCurl
import Glibc
import Platform

/// One libcurl easy handle: typed options, and the two callbacks that lead to a `Transfer`.
// Confined to the network thread, like everything that owns one.
final class EasyHandle {
    // SAFETY: owned by this object; cleaned up once, in deinit, when no multi handle holds it.
    let pointer: UnsafeMutableRawPointer
    private var hasCookies = false

    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    deinit { curl_easy_cleanup(pointer) }

    func set(_ option: CURLoption, _ value: Int) { _ = ccurl_easy_setopt_long(pointer, option, value) }

    /// libcurl copies the string.
    func set(_ option: CURLoption, _ value: String?) { _ = ccurl_easy_setopt_string(pointer, option, value) }

    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        _ = ccurl_easy_setopt_pointer(pointer, option, value)
    }

    /// Once only: `curl_easy_reset` keeps the engine on, and each time would add 64 bytes that nothing frees (libcurl 7.88).
    func enableCookies() {
        guard !hasCookies else { return }
        hasCookies = true
        set(CURLOPT_COOKIEFILE, "")
    }

    /// Whether the last try got as far as an address of the host.
    var isResolved: Bool {
        offset(CURLINFO_NAMELOOKUP_TIME_T) > 0
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        _ = ccurl_easy_getinfo_offset(pointer, info, &value)
        return Int64(value)
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        _ = ccurl_easy_getinfo_long(pointer, info, &value)
        return value
    }

    /// Sets everything for one try but who we are to the origin. The transfer outlives its time in the multi handle.
    /// - Parameter signing: what signs the request, if it goes to where the user sent it; redirects are not signed.
    func prepare(for transfer: Transfer, _ configuration: HTTPConfiguration, signing: RequestSigning?) {
        curl_easy_reset(pointer)
        setCallbacks(transfer)
        set(CURLOPT_URL, transfer.url.text)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NOSIGNAL, 1)
        // A resolver that hangs is left behind instead of waited for.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        set(CURLOPT_MAXAGE_CONN, Self.idleSeconds)
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(configuration.connectTimeout.wholeNanoseconds / 1_000_000)))
        set(CURLOPT_USERAGENT, configuration.userAgent)
        // Sends "Accept-Encoding: identity" and still undoes a coding that comes all the same.
        set(CURLOPT_ACCEPT_ENCODING, "identity")
        let request = transfer.request
        set(CURLOPT_HTTP_CONTENT_DECODING, request.decodesContent ? 1 : 0)
        switch request.method {
        case .get: break
        case .head: set(CURLOPT_NOBODY, 1)
        case .post where transfer.upload == nil: setBody(request.body)
        case .post: break
        case .propfind:
            setBody(request.body)
            set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
        if let range = request.range { set(CURLOPT_RANGE, "\(range.lowerBound)-\(range.upperBound - 1)") }
        if transfer.wantsFreshConnection { set(CURLOPT_FRESH_CONNECT, 1) }
        let isMetadata = request.purpose.isMetadata
        set(CURLOPT_BUFFERSIZE, isMetadata ? Self.metadataBuffer : Self.bulkBuffer)
        if isMetadata, transfer.url.origin.scheme == "https" {
            set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
            set(CURLOPT_PIPEWAIT, 1)
        } else {
            set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        }
        // Extra headers may hold secrets: they stay with the origin they were meant for. The tag belongs to the file.
        var lines: [String] = []
        if transfer.url.origin == request.url.origin { lines = request.headers.map { "\($0.name): \($0.value)" } }
        if let signing { lines += signing.headers.map { "\($0.name): \($0.value)" } }
        if let tag = request.ifMatch { lines.append("If-Match: \(tag)") }
        // libcurl would wait for a "100 Continue" before it sends a large form, and many servers never send one.
        if request.method == .post || request.method == .propfind { lines.append("Expect:") }
        transfer.headers = lines.reduce(nil) { curl_slist_append($0, $1) }
        set(CURLOPT_HTTPHEADER, transfer.headers)
    }

    /// libcurl copies the bytes.
    private func setBody(_ body: [UInt8]) {
        set(CURLOPT_POST, 1)
        set(CURLOPT_POSTFIELDSIZE, body.count)
        // Never an empty buffer, which may have no address: libcurl would then read the body from standard input.
        var bytes = body + [0]
        bytes.withUnsafeMutableBytes { set(CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
    }

    /// How long an unused connection is taken for alive: less than the idle limits of usual servers (nginx 75 s, Apache
    /// 5 s, load balancers 60 s), at the price of an occasional silent repeat.
    private static let idleSeconds = 30
    private static let metadataBuffer = 16 * 1024
    /// libcurl's largest.
    private static let bulkBuffer = 512 * 1024

    private func setCallbacks(_ transfer: Transfer) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        set(CURLOPT_PRIVATE, context)
        set(CURLOPT_HEADERDATA, context)
        set(CURLOPT_WRITEDATA, context)
        set(CURLOPT_PREREQDATA, context)
        _ = ccurl_easy_setopt_data(pointer, CURLOPT_HEADERFUNCTION, headerCallback)
        _ = ccurl_easy_setopt_data(pointer, CURLOPT_WRITEFUNCTION, writeCallback)
        _ = ccurl_easy_setopt_prereq(pointer, prerequestCallback)
        _ = ccurl_easy_setopt_socket(pointer, socketCallback)
    }
}

/// A program that this process starts must not hold its connections open: libcurl 7.88 lets them be inherited.
func keepFromChildren(_ socket: curl_socket_t) { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }

private func socketCallback(_: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _: curlsocktype) -> Int32 {
    keepFromChildren(socket)
    return CURL_SOCKOPT_OK
}

// SAFETY for all three: the context is the transfer that `prepare` named; it is alive while its handle is in the multi
// handle, and libcurl only calls back from `curl_multi_perform`, on the network thread.

private func headerCallback(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let goesOn = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        .headerLine(UnsafeRawBufferPointer(start: bytes, count: size * count), now: .now())
    return goesOn ? size * count : 0
}

private func writeCallback(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let step = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        .body(UnsafeRawBufferPointer(start: bytes, count: size * count), now: .now())
    switch step {
    case .goOn: return size * count
    case .stop: return 0
    case .pause: return Int(CURL_WRITEFUNC_PAUSE)
    }
}

private func prerequestCallback(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _: UnsafeMutablePointer<CChar>?,
    _: Int32, _: Int32
) -> Int32 {
    guard let context, let remote else { return CURL_PREREQFUNC_ABORT }
    let isAllowed = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        .connected(to: String(cString: remote), now: .now())
    return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
