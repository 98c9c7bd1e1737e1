/// One call of the flight service, in whichever of its four transports it came. Pure.
package struct DomesticAirlineCall: Hashable, Sendable {
    package enum Transport: Sendable { case get, post, soap11, soap12 }

    package var operation: String
    package var parameters: [String: String]
    package var transport: Transport

    /// What the service answers to a request it cannot read.
    struct Refusal: Error {
        let status: Int
        let text: String
    }

    /// - Parameter folder: the path of the `.asmx`, in lower case: the service is not case-sensitive there.
    init(_ request: ServerRequest, folder: String) throws(Refusal) {
        let rest = request.path.dropFirst(folder.count)
        if rest.isEmpty, request.method == "POST" {
            self = try Self.soap(request)
        } else {
            guard rest.hasPrefix("/"), !rest.dropFirst().contains("/") else { throw Refusal(status: 404, text: "") }
            let isPost = request.method == "POST"
            let fields =
                isPost
                ? String(decoding: request.body, as: UTF8.self)[...] : request.target.dropFirst(request.path.count + 1)
            self.init(
                operation: String(rest.dropFirst()), parameters: Self.form(fields), transport: isPost ? .post : .get)
        }
    }

    private init(operation: String, parameters: [String: String], transport: Transport) {
        self.operation = operation
        self.parameters = parameters
        self.transport = transport
    }

    /// The client must say what it calls: in `SOAPAction` (1.1) or by its media type (1.2).
    private static func soap(_ request: ServerRequest) throws(Refusal) -> DomesticAirlineCall {
        let type = request.header("content-type") ?? ""
        guard let text = String(validating: request.body, as: UTF8.self) else {
            throw Refusal(status: 400, text: "Bad Request")
        }
        let (transport, envelope): (Transport, String)
        if type.hasPrefix("application/soap+xml") {
            (transport, envelope) = (.soap12, "http://www.w3.org/2003/05/soap-envelope")
        } else {
            (transport, envelope) = (.soap11, "http://schemas.xmlsoap.org/soap/envelope/")
            guard type.hasPrefix("text/xml"), request.header("soapaction")?.contains("http://WebXml.com.cn/get") == true
            else { throw Refusal(status: 500, text: "Server did not recognize the value of HTTP Header SOAPAction.") }
        }
        guard text.contains("\"\(envelope)\""), let name = text.firstRange(of: "<getDomestic") else {
            throw Refusal(status: 500, text: "Server was unable to read request.")
        }
        let operation = "getDomestic" + text[name.upperBound...].prefix { $0.isLetter }
        // An element that is left out is an empty value.
        let parameters = ["startCity", "lastCity", "theDate", "userID"].map { ($0, element($0, in: text) ?? "") }
        return DomesticAirlineCall(
            operation: operation, parameters: Dictionary(uniqueKeysWithValues: parameters), transport: transport)
    }

    private static func element(_ name: String, in text: String) -> String? {
        guard let start = text.firstRange(of: "<\(name)>"),
            let end = text[start.upperBound...].firstRange(of: "</\(name)>")
        else { return nil }
        let value = String(text[start.upperBound..<end.lowerBound])
        return value.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }

    private static func form(_ text: Substring) -> [String: String] {
        var parameters: [String: String] = [:]
        for field in text.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            parameters[decoded(parts[0])] = parts.count > 1 ? decoded(parts[1]) : ""
        }
        return parameters
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
