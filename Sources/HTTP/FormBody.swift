import CCurl
import Glibc
import Platform

/// The body of one try of an upload, as libcurl's form. Confined to the network thread.
final class FormBody {
    // SAFETY: owned by this object; freed once, in deinit, after its easy handle has left the multi handle.
    private let mime: OpaquePointer
    private let content: FileContent
    private var offset: Int64 = 0
    /// Why the file could not be read to its end.
    private(set) var failure: TransferError?

    /// - Returns: nil if memory ran out.
    init?(_ form: FormUpload, for easy: EasyHandle) {
        guard let mime = curl_mime_init(easy.pointer) else { return nil }
        self.mime = mime
        content = form.content
        for field in form.fields {
            guard let part = curl_mime_addpart(mime), curl_mime_name(part, field.name) == CURLE_OK,
                curl_mime_data(part, field.value, field.value.utf8.count) == CURLE_OK
            else { return nil }
        }
        guard let file = curl_mime_addpart(mime), curl_mime_name(file, form.fileField) == CURLE_OK,
            curl_mime_filename(file, form.fileName) == CURLE_OK, curl_mime_type(file, form.mediaType) == CURLE_OK,
            // SAFETY: this object outlives the form it is the context of.
            curl_mime_data_cb(
                file, curl_off_t(form.content.size), readCallback, seekCallback, nil,
                Unmanaged.passUnretained(self).toOpaque()) == CURLE_OK
        else { return nil }
        easy.set(CURLOPT_MIMEPOST, UnsafeMutableRawPointer(mime))
    }

    deinit { curl_mime_free(mime) }

    /// - Returns: the count of bytes read; nil to end the try.
    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        do throws(Errno) {
            let count = try content.read(into: buffer, at: offset)
            guard count > 0 || offset == content.size else {
                failure = .other("the file changed while it was sent")
                return nil
            }
            offset += Int64(count)
            return count
        } catch {
            failure = .other("the file cannot be read: \(error)")
            return nil
        }
    }
}

// SAFETY for both: the context is the form body, alive while its handle is in the multi handle; libcurl only calls back
// from `curl_multi_perform`, on the network thread, and says how large its buffer is.

private func readCallback(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
    return Unmanaged<FormBody>.fromOpaque(context).takeUnretainedValue()
        .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count)) ?? Int(CURL_READFUNC_ABORT)
}

/// libcurl would send the body again by itself when a connection ends without an answer. The server may have acted on it:
/// whether to send it again is not libcurl's decision.
private func seekCallback(_: UnsafeMutableRawPointer?, _: curl_off_t, _: Int32) -> Int32 { CURL_SEEKFUNC_FAIL }
