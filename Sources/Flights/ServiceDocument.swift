import XML

/// Reads the rows of a table out of the service's documents: a `DataSet` (GET, POST) or a SOAP 1.1 or 1.2 envelope around
/// the same. Driven by path: elements may come in any order, be absent or empty; unknown ones are skipped.
struct ServiceDocument {
    private static let service: StaticString = "http://WebXml.com.cn/"
    private static let soap11: StaticString = "http://schemas.xmlsoap.org/soap/envelope/"
    private static let soap12: StaticString = "http://www.w3.org/2003/05/soap-envelope"
    private static let differences: StaticString = "urn:schemas-microsoft-com:xml-diffgram-v1"

    private let reader: XMLReader
    private let table: ServiceTable
    private var rows: [[String]] = []
    private var hasTable = false
    /// What the service said instead of an answer.
    private var fault: String?
    /// What is wrong with a well-formed document.
    private var flaw: String?

    /// - Returns: for each row the texts of the table's columns, trimmed; empty where the document has none.
    static func rows(of table: ServiceTable, in body: [UInt8]) throws(FlightsError) -> [[String]] {
        let document: ServiceDocument
        do throws(XMLError) {
            var reading = ServiceDocument(reader: try XMLReader(body), table: table)
            try reading.read()
            try reading.reader.finish()
            document = reading
        } catch {
            throw .notTheAnswer(CleanText.of(error.description))
        }
        if let fault = document.fault { throw .refused(CleanText.of(fault)) }
        if let flaw = document.flaw { throw .notTheAnswer(CleanText.of(flaw)) }
        guard document.hasTable else { throw .notTheAnswer("it has no result of this kind") }
        return document.rows
    }

    private init(reader: XMLReader, table: ServiceTable) {
        self.reader = reader
        self.table = table
    }

    private mutating func read() throws(XMLError) {
        let root = try reader.root()
        if reader.isNamed("DataSet", in: Self.service) {
            try readResult(root)
        } else if reader.isNamed("Envelope", in: Self.soap11) {
            try readEnvelope(root, soap: Self.soap11)
        } else if reader.isNamed("Envelope", in: Self.soap12) {
            try readEnvelope(root, soap: Self.soap12)
        } else {
            flaw = "its root is \(reader.localName)"
        }
    }

    private mutating func readEnvelope(_ envelope: XMLElement, soap: StaticString) throws(XMLError) {
        while let part = try reader.nextChild(of: envelope) {
            guard reader.isNamed("Body", in: soap) else { continue }
            while let content = try reader.nextChild(of: part) {
                if reader.isNamed("Fault", in: soap) {
                    try readFault(content, soap: soap)
                } else if reader.isNamed(table.response, in: Self.service) {
                    while let result = try reader.nextChild(of: content) {
                        if reader.isNamed(table.result, in: Self.service) { try readResult(result) }
                    }
                }
            }
        }
    }

    /// SOAP 1.1 has the words in `faultstring`, 1.2 in `Reason/Text`.
    private mutating func readFault(_ element: XMLElement, soap: StaticString) throws(XMLError) {
        var words = ""
        while let part = try reader.nextChild(of: element) {
            if reader.isNamed("faultstring", in: "") {
                words = try reader.text(of: part)
            } else if reader.isNamed("Reason", in: soap) {
                while let text = try reader.nextChild(of: part) {
                    if reader.isNamed("Text", in: soap), words.isEmpty { words = try reader.text(of: text) }
                }
            }
        }
        fault = words.isEmpty ? "a SOAP fault without words" : words
    }

    /// A result is a schema and a diffgram; what the latter's `before` holds is out of date.
    private mutating func readResult(_ result: XMLElement) throws(XMLError) {
        while let part = try reader.nextChild(of: result) {
            guard reader.isNamed("diffgram", in: Self.differences) else { continue }
            hasTable = true
            while let content = try reader.nextChild(of: part) {
                if reader.isNamed(table.wrapper, in: "") {
                    try readRows(content)
                } else if !reader.isNamed("before", in: Self.differences),
                    !reader.isNamed("errors", in: Self.differences)
                {
                    // Rows under another name must not pass for an empty answer.
                    flaw = "its data is \(reader.localName)"
                }
            }
        }
    }

    private mutating func readRows(_ wrapper: XMLElement) throws(XMLError) {
        while let row = try reader.nextChild(of: wrapper) {
            guard reader.isNamed(table.row, in: "") else {
                flaw = "a row is \(reader.localName)"
                continue
            }
            guard rows.count < ServiceTable.maximumRows else {
                flaw = "over \(ServiceTable.maximumRows) rows"
                return
            }
            try readRow(row)
        }
    }

    private mutating func readRow(_ row: XMLElement) throws(XMLError) {
        var texts = [String](repeating: "", count: table.columns.count)
        // Elements nearly always come in the order of the schema.
        var expected = 0
        while let element = try reader.nextChild(of: row) {
            guard let column = column(after: expected) else { continue }
            texts[column] = CleanText.trimmed(try reader.text(of: element))
            expected = column + 1
        }
        rows.append(texts)
    }

    /// The column of the current element, looked for from `start` on and then from the first.
    private func column(after start: Int) -> Int? {
        for offset in table.columns.indices {
            let column = (start + offset) % table.columns.count
            if reader.isNamed(table.columns[column], in: "") { return column }
        }
        return nil
    }
}
