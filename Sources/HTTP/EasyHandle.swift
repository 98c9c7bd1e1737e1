import CCurl

/// One libcurl easy handle: typed options, and the two callbacks that lead to a `Transfer`.
// Confined to the network thread, like everything that owns one.
final class EasyHandle {
    // SAFETY: owned by this object; cleaned up once, in deinit, when no multi handle holds it.
    let pointer: UnsafeMutableRawPointer

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

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        _ = ccurl_easy_getinfo_long(pointer, info, &value)
        return value
    }

    /// Leads the callbacks to a transfer, which outlives its time in the multi handle.
    func setCallbacks(_ transfer: Transfer) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        set(CURLOPT_PRIVATE, context)
        set(CURLOPT_HEADERDATA, context)
        set(CURLOPT_WRITEDATA, context)
        set(CURLOPT_PREREQDATA, context)
        _ = ccurl_easy_setopt_data(pointer, CURLOPT_HEADERFUNCTION, headerCallback)
        _ = ccurl_easy_setopt_data(pointer, CURLOPT_WRITEFUNCTION, writeCallback)
        _ = ccurl_easy_setopt_prereq(pointer, prerequestCallback)
    }
}

// SAFETY for all three: the context is the transfer that `setCallbacks` named; it is alive while its handle is in the multi
// handle, and libcurl only calls back from `curl_multi_perform`, on the network thread.

private func headerCallback(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        .headerLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
}

private func writeCallback(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let goesOn = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        .body(UnsafeRawBufferPointer(start: bytes, count: size * count))
    return goesOn ? size * count : 0
}

private func prerequestCallback(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _: UnsafeMutablePointer<CChar>?,
    _: Int32, _: Int32
) -> Int32 {
    guard let context, let remote else { return CURL_PREREQFUNC_ABORT }
    let isAllowed = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().connected(to: String(cString: remote))
    return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
