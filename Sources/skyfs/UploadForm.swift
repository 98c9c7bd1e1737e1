import Filesystem
import HTTP
import Uploads

/// How files go to an upload target, as far as people decide it: what the form holds besides the file, and which answer
/// counts as success.
struct UploadForm: Codable, Equatable, Sendable {
    struct Pair: Codable, Equatable, Sendable {
        var name: String
        var value: String
    }

    /// Headers that the upload itself needs, so that nobody else may set them; in lower case.
    private static let ownHeaders: Set<String> = [
        "connection", "content-length", "content-type", "expect", "host", "idempotency-key", "transfer-encoding",
    ]

    /// The form field that holds the file.
    private(set) var fileField = "file"
    /// Text fields, sent before the file. May be secret.
    private(set) var parameters: [Pair] = []
    /// The text field that gets the file's path in the drop folder.
    private(set) var pathField: String?
    /// May be secret.
    private(set) var headers: [Pair] = []
    /// Statuses that count as success besides 2xx.
    private(set) var statuses: [Int] = []
    /// A field of a JSON answer that has to be true.
    private(set) var jsonField: String?
    /// What has to stand in the answer.
    private(set) var text: String?

    /// Where files go in this form.
    func target(_ url: HTTPURL) -> DropTarget {
        var target = DropTarget(url: url)
        target.fileField = fileField
        target.parameters = parameters.map { ($0.name, $0.value) }
        target.pathField = pathField
        target.headers = headers.map { ($0.name, $0.value) }
        target.rule.statuses = Set(statuses)
        target.rule.jsonField = jsonField
        target.rule.text = text
        return target
    }

    var hasSecrets: Bool { !parameters.isEmpty || !headers.isEmpty }

    // Errors name the option and never the value, which may be secret.

    mutating func setFileField(_ name: String, from option: String) throws(CommandError) {
        fileField = try Self.field(name, option)
    }

    mutating func setPathField(_ name: String, from option: String) throws(CommandError) {
        pathField = try Self.field(name, option)
    }

    mutating func addParameter(name: String, value: String, from option: String) throws(CommandError) {
        parameters.append(Pair(name: try Self.field(name, option), value: value))
    }

    /// "NAME=VALUE"
    mutating func addParameter(_ word: String, from option: String) throws(CommandError) {
        guard let mark = word.firstIndex(of: "=") else {
            throw CommandError(.usage, "\(option): no \"=\" in its value", advice: "write \(option) NAME=VALUE")
        }
        try addParameter(
            name: String(word[..<mark]), value: String(word[word.index(after: mark)...]), from: option)
    }

    mutating func addHeader(name: String, value: String, from option: String) throws(CommandError) {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw CommandError(.usage, "\(option): not a header", advice: "write NAME: VALUE, on one line") }
        guard !Self.ownHeaders.contains(name.lowercased()) else {
            throw CommandError(.usage, "\(option): \(name) is set by the upload itself")
        }
        headers.append(Pair(name: name, value: value))
    }

    /// "NAME: VALUE"
    mutating func addHeader(_ word: String, from option: String) throws(CommandError) {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
        // An empty name is refused.
        try addHeader(name: parts.count > 1 ? String(parts[0]) : "", value: String(value), from: option)
    }

    mutating func addStatus(_ status: Int, from option: String) throws(CommandError) {
        guard 200...599 ~= status else {
            throw CommandError(.usage, "\(option): \(status) is no status of an answer", advice: "give 200 to 599")
        }
        statuses.append(status)
    }

    mutating func setJSONField(_ name: String, from option: String) throws(CommandError) {
        jsonField = try Self.field(name, option)
    }

    mutating func setText(_ text: String, from option: String) throws(CommandError) {
        guard !text.isEmpty else { throw CommandError(.usage, "\(option): an empty text stands in every answer") }
        self.text = text
    }

    /// "status=303", "json=FIELD" or "text=WORDS"
    mutating func addSuccess(_ word: String, from option: String) throws(CommandError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count > 1 ? parts[1] : "") {
        case ("status", let value):
            guard let status = Int(value) else { throw CommandError(.usage, "\(option): status needs a number") }
            try addStatus(status, from: option)
        case ("json", let value): try setJSONField(value, from: option)
        case ("text", let value): try setText(value, from: option)
        default:
            throw CommandError(
                .usage, "\(option): cannot read its value", advice: "write status=303, json=FIELD or text=WORDS")
        }
    }

    private static func field(_ name: String, _ option: String) throws(CommandError) -> String {
        guard 1...256 ~= name.utf8.count, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw CommandError(.usage, "\(option): cannot be the name of a form field")
        }
        return name
    }

    /// RFC 9110, 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
