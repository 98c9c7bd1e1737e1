import CCurl
import Glibc
import Platform

extension EasyHandle {
    /// What an upload sets on top of `prepare`.
    /// - Returns: false if memory ran out.
    func prepareUpload(_ upload: RunningUpload, of transfer: Transfer) -> Bool {
        guard let body = FormBody(upload.form, for: self) else { return false }
        upload.begin(body)
        set(CURLOPT_MAXAGE_CONN, Self.uploadIdleSeconds)
        set(CURLOPT_NOPROGRESS, 0)
        set(CURLOPT_XFERINFODATA, Unmanaged.passUnretained(transfer).toOpaque())
        _ = ccurl_easy_setopt_progress(pointer, progressCallback)
        _ = ccurl_easy_setopt_socket(pointer, uploadSocketCallback)
        return true
    }

    /// Younger than any server's idle limit: a form must not go out over a connection that is about to be closed, for
    /// nobody could say then whether it arrived.
    private static let uploadIdleSeconds = 3
}

// SAFETY: as for the other callbacks, the context is the transfer, alive while its handle is in the multi handle.
private func progressCallback(
    _ context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _ total: curl_off_t, _ sent: curl_off_t
) -> Int32 {
    guard let context else { return 1 }
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().noteSent(Int64(sent), of: Int64(total), now: .now())
    return 0
}

/// Keeps little in the kernel that is not under way yet: progress is what has left, and the kernel takes the next bytes as
/// soon as some have, however slow the line is. Otherwise megabytes would go at once, and then nothing for longer than a
/// stall.
private func uploadSocketCallback(_: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _: curlsocktype) -> Int32 {
    var limit: Int32 = 128 * 1024
    keepFromChildren(socket)
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &limit, socklen_t(MemoryLayout<Int32>.size))
    return CURL_SOCKOPT_OK
}
