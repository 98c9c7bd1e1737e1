import FoundationEssentials

/// A JSON value in the body of an answer, as deep as messages are found in practice.
enum JSONAnswer: Decodable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONAnswer])
    case object([String: JSONAnswer])

    /// What lies deeper is taken for null; only messages are looked for there.
    private static let maximumDepth = 4
    /// Of an array; a message stands in the first.
    private static let maximumElements = 16

    init(from decoder: any Decoder) throws {
        if decoder.codingPath.count >= Self.maximumDepth {
            self = .null
        } else if let object = try? decoder.container(keyedBy: Key.self) {
            self = .object(
                object.allKeys.reduce(into: [:]) { $0[$1.stringValue] = try? object.decode(Self.self, forKey: $1) })
        } else if var array = try? decoder.unkeyedContainer() {
            var elements: [JSONAnswer] = []
            while !array.isAtEnd, elements.count < Self.maximumElements, let element = try? array.decode(Self.self) {
                elements.append(element)
            }
            self = .array(elements)
        } else {
            let value = try decoder.singleValueContainer()
            if let bool = try? value.decode(Bool.self) {
                self = .bool(bool)
            } else if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else if let string = try? value.decode(String.self) {
                self = .string(string)
            } else {
                self = .null
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// nil if the text is not one JSON value.
    init?(text: String) {
        guard let value = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = value
    }

    subscript(field: String) -> JSONAnswer? {
        guard case .object(let fields) = self else { return nil }
        return fields[field]
    }

    /// As in JavaScript, but empty arrays and objects say nothing either: PHP writes them for "none".
    var isTruthy: Bool {
        switch self {
        case .null: false
        case .bool(let value): value
        case .number(let value): value != 0
        case .string(let value): !value.isEmpty
        case .array(let elements): !elements.isEmpty
        case .object(let fields): !fields.isEmpty
        }
    }

    /// The server's words in an answer that reports a failure: those of the usual fields, the most telling first.
    var message: String? {
        switch self {
        case .null, .bool, .number: nil
        case .string(let value): value.isEmpty ? nil : value
        case .array(let elements): elements.lazy.compactMap(\.message).first
        case .object(let fields):
            Self.messageFields.lazy.compactMap { fields[$0]?.message }.first
        }
    }

    private static let messageFields = [
        "error_description", "error", "message", "msg", "detail", "title", "reason", "errors",
    ]
}
