import XML

/// What one `response` of a multistatus tells.
struct WebDAVResource {
    /// The `href` as it stands there.
    private(set) var link: ArraySlice<UInt8> = []
    /// The server answers an error for it.
    private(set) var isRefused = false
    private(set) var isCollection = false
    private(set) var size: Int64?
    private(set) var modified: Int64?

    /// - Parameters:
    ///   - reader: at the response.
    init(_ reader: XMLReader, _ response: XMLElement) throws(XMLError) {
        while let child = try reader.nextChild(of: response) {
            if reader.isNamed("href", in: "DAV:") {
                link = try Self.bytes(reader, child)
            } else if reader.isNamed("status", in: "DAV:") {
                isRefused = !Self.isSuccess(try reader.text(of: child))
            } else if reader.isNamed("propstat", in: "DAV:") {
                try take(reader, child)
            }
        }
    }

    /// Properties with their status, which may stand behind them: those that the resource does not have say nothing.
    private mutating func take(_ reader: XMLReader, _ propstat: XMLElement) throws(XMLError) {
        var copy = self
        while let child = try reader.nextChild(of: propstat) {
            if reader.isNamed("status", in: "DAV:") {
                guard Self.isSuccess(try reader.text(of: child)) else { return }
            } else if reader.isNamed("prop", in: "DAV:") {
                while let property = try reader.nextChild(of: child) { try copy.takeProperty(reader, property) }
            }
        }
        self = copy
    }

    private mutating func takeProperty(_ reader: XMLReader, _ property: XMLElement) throws(XMLError) {
        if reader.isNamed("resourcetype", in: "DAV:") {
            while try reader.nextChild(of: property) != nil {
                if reader.isNamed("collection", in: "DAV:") { isCollection = true }
            }
        } else if reader.isNamed("getcontentlength", in: "DAV:") {
            size = SizeReader.integer(try Self.bytes(reader, property))
        } else if reader.isNamed("getlastmodified", in: "DAV:") {
            modified = ListingDate.seconds(Array(try Self.bytes(reader, property)))
        }
    }

    private static func bytes(_ reader: XMLReader, _ element: XMLElement) throws(XMLError) -> ArraySlice<UInt8> {
        Array(try reader.text(of: element).utf8)[...].trimmed
    }

    /// A status line: "HTTP/1.1 200 OK".
    private static func isSuccess(_ status: String) -> Bool {
        status.split(separator: " ").dropFirst().first?.hasPrefix("2") ?? false
    }
}
