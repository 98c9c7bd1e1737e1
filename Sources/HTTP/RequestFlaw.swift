/// Why a request is not sent: text in it could be taken for more of the head than it is (CR, LF, NUL; RFC 9110, 5.5).
/// The one place where that is checked.
struct RequestFlaw: Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// nil if the request is fit to be sent.
    init?(of request: Request) {
        if Self.isUnsafe(request.url.target) {
            description = "the URL holds a control character"
        } else if let header = request.headers.first(where: { !Self.isName($0.name) || Self.isUnsafe($0.value) }) {
            description = "the request header \"\(header.name)\" is not a valid one"
        } else if let tag = request.ifMatch, Self.isUnsafe(tag) {
            description = "the entity tag holds a control character"
        } else if let range = request.range, range.isEmpty || range.lowerBound < 0 {
            description = "the range is empty"
        } else {
            return nil
        }
    }

    /// What of a form is not checked with its request.
    init?(of form: FormUpload) {
        let names = form.fields.map(\.name) + [form.fileField, form.fileName]
        if names.contains(where: { $0.utf8.contains(0) }) {
            description = "a name in the form holds a NUL"
        } else if form.mediaType.isEmpty || Self.isUnsafe(form.mediaType) {
            description = "the media type is not a valid one"
        } else if form.headers.contains(where: { Self.framing.contains($0.name.lowercased()) }) {
            description = "a header of the form's own is given"
        } else {
            return nil
        }
    }

    /// Headers that say where the form ends and begins, which only libcurl knows.
    private static let framing: Set = ["content-length", "content-type", "expect", "transfer-encoding"]

    private static func isUnsafe(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
    }
}
