import HTTP

/// The service as one user reaches it: makes the requests' text. Holds the paying customer's number, which is a secret:
/// with GET it is in the URL, so show URLs with their query masked.
package struct FlightService: Sendable, CustomStringConvertible {
    /// The service's own address, in case none is configured.
    package static let usualAddress = "http://webservice.webxml.com.cn/webservices/DomesticAirline.asmx"
    private static let namespace = "http://WebXml.com.cn/"

    /// Without the customer's number, a query or a slash at its end.
    package let address: String
    private let transport: FlightTransport
    private let userID: String

    /// - Parameters:
    ///   - address: the URL of the `.asmx`; a query and slashes at its end are left out.
    ///   - userID: empty for users who do not pay.
    package init(address: String = usualAddress, transport: FlightTransport = .get, userID: String = "") {
        var address = address.prefix { $0 != "?" && $0 != "#" }
        while address.hasSuffix("/") { address.removeLast() }
        self.address = String(address)
        self.transport = transport
        self.userID = userID
    }

    /// Without the customer's number.
    package var description: String { "\(address) (\(transport.rawValue))" }

    /// The service's words may repeat what it was sent.
    package func withoutSecrets(_ error: FlightsError) -> FlightsError {
        guard !userID.isEmpty else { return error }
        let masked = { (words: String) in
            words.split(separator: userID, omittingEmptySubsequences: false).joined(separator: "…")
        }
        return switch error {
        case .unknownCity(let words): .unknownCity(masked(words))
        case .quota(let words): .quota(masked(words))
        case .refused(let words): .refused(masked(words))
        case .notTheAnswer(let words): .notTheAnswer(masked(words))
        }
    }

    /// Asks for the list of cities.
    package var cities: FlightRequest { request("getDomesticCity", []) }

    /// Asks for the flights of one day.
    package func flights(_ query: FlightQuery) -> FlightRequest {
        // A parameter that is left out is an error, also the empty number of a user who does not pay.
        request(
            "getDomesticAirlinesTime",
            [
                ("startCity", query.from), ("lastCity", query.to), ("theDate", query.date.description),
                ("userID", userID),
            ])
    }

    private func request(_ operation: String, _ parameters: [(name: String, value: String)]) -> FlightRequest {
        switch transport {
        case .get:
            let query = parameters.isEmpty ? "" : "?" + Self.form(parameters)
            return FlightRequest(method: .get, url: "\(address)/\(operation)\(query)", headers: [], body: "")
        case .post:
            return FlightRequest(
                method: .post, url: "\(address)/\(operation)",
                headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Self.form(parameters))
        case .soap11:
            return FlightRequest(
                method: .post, url: address,
                headers: [
                    ("Content-Type", "text/xml; charset=utf-8"),
                    ("SOAPAction", "\"\(Self.namespace)\(operation)\""),
                ], body: Self.envelope("http://schemas.xmlsoap.org/soap/envelope/", operation, parameters))
        case .soap12:
            return FlightRequest(
                method: .post, url: address,
                headers: [
                    ("Content-Type", "application/soap+xml; charset=utf-8; action=\"\(Self.namespace)\(operation)\"")
                ], body: Self.envelope("http://www.w3.org/2003/05/soap-envelope", operation, parameters))
        }
    }

    private static func form(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(PercentEncoding.encodeSegment($0.value.utf8))" }.joined(separator: "&")
    }

    private static func envelope(
        _ soap: String, _ operation: String, _ parameters: [(name: String, value: String)]
    ) -> String {
        let content = parameters.map { "<\($0.name)>\(escaped($0.value))</\($0.name)>" }.joined()
        return """
            <?xml version="1.0" encoding="utf-8"?>
            <soap:Envelope xmlns:soap="\(soap)"><soap:Body><\(operation) xmlns="\(namespace)">\(content)</\(operation)>\
            </soap:Body></soap:Envelope>
            """
    }

    /// As the text of an element. Characters that XML cannot hold become U+FFFD: no city's name has them.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
