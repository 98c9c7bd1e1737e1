/// One POST of a form with a file in it (multipart/form-data, RFC 7578): the text parts in their order, then the file.
package struct FormUpload: Sendable {
    package var url: HTTPURL
    /// Text parts, sent before the file and as they are. Names have `"`, CR and LF escaped like `fileName`.
    package var fields: [(name: String, value: String)] = []
    /// The name of the file's part.
    package var fileField: String
    /// Any name but one with NUL. On the wire it is raw UTF-8 with `"`, CR and LF as `%22`, `%0D` and `%0A`, as browsers
    /// send it (WHATWG HTML, 4.10.22.8).
    package var fileName: String
    /// Of the file's part, for example "text/plain".
    package var mediaType: String
    package var content: FileContent
    /// Extra headers, for example Idempotency-Key; a redirect to another origin does not get them.
    package var headers: [(name: String, value: String)] = []

    package init(url: HTTPURL, fileField: String, fileName: String, mediaType: String, content: FileContent) {
        self.url = url
        self.fileField = fileField
        self.fileName = fileName
        self.mediaType = mediaType
        self.content = content
    }
}
