/// A request as it came over the wire.
package struct ServerRequest: Sendable {
    package var method: String
    /// The request target, undecoded.
    package var target: String
    /// For example "HTTP/1.1".
    package var version: String
    /// In the order of the wire, names in lower case.
    package var headers: [(String, String)]
    /// The head exactly as it came, without the empty line after it.
    package var head = ""
    package var body: [UInt8] = []
    /// How often this method and target were asked before, 0 the first time.
    package var count = 0
    /// The number of this request on its connection, from 0.
    package var connectionRequest = 0
    /// The number of the connection, from 0 in the order of their arrival.
    package var connection = 0

    /// The first field of that name (lower case), nil if there is none.
    package func header(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }
}

extension ServerRequest {
    /// Reads the lines before the empty line.
    /// - Returns: nil if this is no HTTP request.
    init?(head: ArraySlice<UInt8>) {
        let text = String(decoding: head, as: UTF8.self)
        self.head = text
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, !words[1].isEmpty, words[2].hasPrefix("HTTP/") else { return nil }
        method = String(words[0])
        target = String(words[1])
        version = String(words[2])
        headers = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.append((line[..<colon].lowercased(), String(value)))
        }
    }
}
