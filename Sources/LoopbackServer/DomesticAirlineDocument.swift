/// Writes the flight service's documents byte for byte as ASP.NET does: indented with CRLF for GET and POST, on one line in
/// SOAP. Pure.
struct DomesticAirlineDocument {
    /// The name of the data set, of a row, and of its elements.
    let name: String
    let row: String
    let columns: [String]

    static let flights = DomesticAirlineDocument(
        name: "Airlines", row: "AirlinesTime",
        columns: [
            "Company", "AirlineCode", "StartDrome", "ArriveDrome", "StartTime", "ArriveTime", "Mode", "AirlineStop",
            "Week",
        ])
    static let cities = DomesticAirlineDocument(
        name: "Airline1", row: "Address", columns: ["enCityName", "cnCityName", "Abbreviation"])

    /// - Parameter rows: texts in the order of the columns; missing ones at the end are empty.
    func text(_ rows: [[String]], operation: String, transport: DomesticAirlineCall.Transport) -> String {
        let schema = "urn:schemas-microsoft-com:xml-msdata"
        let differences = "urn:schemas-microsoft-com:xml-diffgram-v1"
        let result = [
            Node(
                "xs:schema id=\"\(name)\" xmlns=\"\" xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" xmlns:msdata=\"\(schema)\"",
                [declaration]),
            Node(
                "diffgr:diffgram xmlns:msdata=\"\(schema)\" xmlns:diffgr=\"\(differences)\"",
                rows.isEmpty ? [] : [Node("\(name) xmlns=\"\"", rows.enumerated().map(node))]),
        ]
        let head = "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
        let service = "xmlns=\"http://WebXml.com.cn/\""
        let envelope: String
        switch transport {
        case .get, .post:
            var text = head + "\r\n"
            Node("DataSet \(service)", result).write(to: &text, depth: 0)
            return text
        case .soap11: envelope = "http://schemas.xmlsoap.org/soap/envelope/"
        case .soap12: envelope = "http://www.w3.org/2003/05/soap-envelope"
        }
        let types =
            "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\""
        var text = head
        Node(
            "soap:Envelope xmlns:soap=\"\(envelope)\" \(types)",
            [Node("soap:Body", [Node("\(operation)Response \(service)", [Node("\(operation)Result", result)])])]
        ).write(to: &text, depth: nil)
        return text
    }

    private var declaration: Node {
        let elements = columns.map { Node("xs:element name=\"\($0)\" type=\"xs:string\" minOccurs=\"0\"") }
        let rows = Node("xs:element name=\"\(row)\"", [Node("xs:complexType", [Node("xs:sequence", elements)])])
        let choice = Node("xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\"", [rows])
        return Node(
            "xs:element name=\"\(name)\" msdata:IsDataSet=\"true\" msdata:UseCurrentLocale=\"true\"",
            [Node("xs:complexType", [choice])])
    }

    private func node(_ number: Int, _ texts: [String]) -> Node {
        Node(
            "\(row) diffgr:id=\"\(row)\(number + 1)\" msdata:rowOrder=\"\(number)\"",
            columns.enumerated().map { Node($1, text: $0 < texts.count ? texts[$0] : "") })
    }

    private struct Node {
        let tag: String
        var children: [Node] = []
        var text = ""

        init(_ tag: String, _ children: [Node] = []) {
            self.tag = tag
            self.children = children
        }

        init(_ tag: String, text: String) {
            self.tag = tag
            self.text = text
        }

        /// - Parameter depth: nil for no indentation.
        func write(to output: inout String, depth: Int?) {
            let indentation = String(repeating: "  ", count: depth ?? 0)
            let end = depth == nil ? "" : "\r\n"
            let name = tag.prefix { $0 != " " }
            if !text.isEmpty {
                output += "\(indentation)<\(tag)>\(Self.escaped(text))</\(name)>\(end)"
            } else if children.isEmpty {
                output += "\(indentation)<\(tag) />\(end)"
            } else {
                output += "\(indentation)<\(tag)>\(end)"
                for child in children { child.write(to: &output, depth: depth.map { $0 + 1 }) }
                output += "\(indentation)</\(name)>\(end)"
            }
        }

        private static func escaped(_ text: String) -> String {
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        }
    }
}
