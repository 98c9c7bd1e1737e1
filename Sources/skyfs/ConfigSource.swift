import Platform

/// A source of a configuration file: its URL, or an object with the URL and what else belongs to it.
struct ConfigSource: Decodable {
    /// Which answers count as success.
    private struct Success: Decodable {
        var statuses: [Int] = []
        var jsonField: String?
        var text: String?
        var unknown: [String] = []

        static let keys = ["status", "json", "text"]

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ConfigKey.self)
            for key in container.allKeys {
                switch key.stringValue {
                case "status":
                    statuses =
                        if let one = try? container.decode(Int.self, forKey: key) { [one] } else {
                            try container.decode([Int].self, forKey: key)
                        }
                case "json": jsonField = try container.decode(String.self, forKey: key)
                case "text": text = try container.decode(String.self, forKey: key)
                default: unknown.append(key.stringValue)
                }
            }
        }
    }

    private static let formKeys = ["field", "params", "pathField", "success", "headers"]
    private static let flightKeys = ["userID", "transport"]
    private static let keys = ["url", "type"] + formKeys + flightKeys

    private var url = ""
    private var type: String?
    private var fileField: String?
    private var parameters: [String: ConfigValue] = [:]
    private var pathField: String?
    private var success = Success()
    private var headers: [String: String] = [:]
    private var userID: ConfigValue?
    private var transport: String?
    private var given: [String] = []
    private var unknown: [String] = []

    init(from decoder: any Decoder) throws {
        if let url = try? decoder.singleValueContainer().decode(String.self) {
            self.url = url
            return
        }
        let container = try decoder.container(keyedBy: ConfigKey.self)
        for key in container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
            let name = key.stringValue
            switch name {
            case "url": url = try container.decode(String.self, forKey: key)
            case "type": type = try container.decode(String.self, forKey: key)
            case "field": fileField = try container.decode(String.self, forKey: key)
            case "params": parameters = try container.decode([String: ConfigValue].self, forKey: key)
            case "pathField": pathField = try container.decode(String.self, forKey: key)
            case "success": success = try container.decode(Success.self, forKey: key)
            case "headers": headers = try container.decode([String: String].self, forKey: key)
            case "userID": userID = try container.decode(ConfigValue.self, forKey: key)
            case "transport": transport = try container.decode(String.self, forKey: key)
            default: unknown.append(name)
            }
            given.append(name)
        }
    }

    /// - Parameter place: of this source, for messages.
    func add(to request: inout MountRequest, name: String?, place: String) throws(CommandError) {
        try Self.refuse(unknown, known: Self.keys, place)
        try Self.refuse(success.unknown, known: Success.keys, "\(place).success")
        let prefix = type.flatMap { SourcePrefix(type: $0) }
        if let type, prefix == nil {
            throw CommandError(
                .usage, "\(place).type: unknown type: \(DisplayText.sanitized(type))",
                advice: "it is \"drop\", \"flights\", \"webdav\", \"s3\" or \"links\", and is left out otherwise")
        }
        // Without a URL the flights are the usual service's.
        let start = prefix == .flights && url.isEmpty ? SourcePrefix.flightsWord : prefix?.rawValue ?? ""
        let source = url.hasPrefix(start) || url == SourcePrefix.flightsWord ? url : start + url
        let kind = SourcePrefix.split(source).prefix
        if kind != .drop, let key = given.first(where: Self.formKeys.contains) {
            throw CommandError(
                .usage, "\(place).\(key): only for a drop folder", advice: "add type: \"drop\" to make it one")
        }
        if kind != .flights, let key = given.first(where: Self.flightKeys.contains) {
            throw CommandError(
                .usage, "\(place).\(key): only for a flight service", advice: "add type: \"flights\" to make it one")
        }
        try request.add(
            name: name, url: source, form: kind == .drop ? form(place) : nil,
            flights: kind == .flights ? flights(place) : nil)
    }

    private func flights(_ place: String) throws(CommandError) -> FlightAccess {
        var flights = FlightAccess()
        if let transport { try flights.setTransport(transport, from: "\(place).transport") }
        if let userID { try flights.setUserID(userID.text, from: "\(place).userID") }
        return flights
    }

    private func form(_ place: String) throws(CommandError) -> UploadForm {
        var form = UploadForm()
        if let fileField { try form.setFileField(fileField, from: "\(place).field") }
        if let pathField { try form.setPathField(pathField, from: "\(place).pathField") }
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            try form.addParameter(name: name, value: value.text, from: "\(place).params")
        }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            try form.addHeader(name: name, value: value, from: "\(place).headers")
        }
        for status in success.statuses { try form.addStatus(status, from: "\(place).success.status") }
        if let field = success.jsonField { try form.setJSONField(field, from: "\(place).success.json") }
        if let text = success.text { try form.setText(text, from: "\(place).success.text") }
        return form
    }

    private static func refuse(_ unknown: [String], known: [String], _ place: String) throws(CommandError) {
        guard let name = unknown.min() else { return }
        throw CommandError(
            .usage, "\(place): unknown key: \(DisplayText.sanitized(name))",
            advice: NearNames.advice(NearNames(known).near(name), otherwise: "examples/"))
    }
}
