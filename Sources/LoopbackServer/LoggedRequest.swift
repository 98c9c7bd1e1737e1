/// What the server remembers of a request.
package struct LoggedRequest: Sendable {
    package var method: String
    /// The request target, undecoded.
    package var target: String
    /// The value of the Range field.
    package var range: String?
    /// In the order of the wire, names in lower case.
    package var headers: [(String, String)]
    /// The request's body.
    package var body: [UInt8] = []
    /// The number of the connection it came on.
    package var connection: Int
    /// The status of the answer; nil until it is answered, and for answers the responder wrote itself.
    package var status: Int?
    /// Body bytes handed to the kernel. At the end of an answer its last bytes are counted just before they are sent,
    /// so that whoever has received a complete answer finds it here.
    package var bytesSent: Int = 0

    /// The first field of that name (lower case), nil if there is none.
    package func header(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }
}
