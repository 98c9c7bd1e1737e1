import Platform

/// The body of a server's answer to an upload, read as far as it tells success from failure.
struct AnswerBody: Sendable {
    /// As much as the HTTP layer keeps.
    private static let maximumLength = 65_536

    private let text: String
    let json: JSONAnswer?
    /// Local name of the root element of an XML document or an HTML page, in lower case.
    private let root: String?
    private let isHTML: Bool

    /// - Parameter mediaType: as the server says, with parameters or without; nil if it does not.
    init(_ bytes: [UInt8], mediaType: String?) {
        var text = String(decoding: bytes.prefix(Self.maximumLength), as: UTF8.self)
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        self.text = text
        let first = text.first { !$0.isWhitespace }
        json = first == "{" || first == "[" ? JSONAnswer(text: text) : nil
        root = first == "<" ? MarkupTags(text).first { _ in true }?.name : nil
        isHTML = root == "html" || mediaType?.lowercased().hasPrefix("text/html") == true
    }

    /// Why a 2xx answer with this body is a failure all the same; nil if it is none.
    var flaw: String? {
        if let json {
            if let error = json["error"], error.isTruthy {
                return "the answer says error" + ((error.message ?? json.message).map { ": \($0)" } ?? "")
            }
            for field in ["success", "ok"] {
                switch json[field] {
                case .bool(false), .number(0): return "the answer says \(field): false" + suffix
                default: continue
                }
            }
        }
        if root == "error" { return "the answer is an error document" + suffix }
        if isHTML, MarkupTags(text).contains(where: \.isPasswordField) {
            return "the server answered with a login page instead of taking the file"
        }
        return nil
    }

    /// What the server says in the body to explain a failure.
    var message: String? {
        if let json { return json.message }
        if root != nil || isHTML {
            let tags = MarkupTags(text).filter { $0.text.contains { !$0.isWhitespace } }
            return ["message", "title", "code"].lazy
                .compactMap { name in tags.first { $0.name == name }?.text }.first
        }
        return isText && !text.allSatisfy(\.isWhitespace) ? text : nil
    }

    func contains(_ words: String) -> Bool { text.contains(words) }

    /// The body as one line for a receipt; empty if it is not text.
    var line: String { isText ? DisplayLine.make(text) : "" }

    private var suffix: String { message.map { ": \($0)" } ?? "" }

    private var isText: Bool { !text.unicodeScalars.contains { $0.value == 0 } }
}
