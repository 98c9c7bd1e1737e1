import Platform
import XML

/// An `Error` document, with which S3 servers refuse a request.
enum S3Failure {
    /// For people: "S3 says NoSuchBucket: The specified bucket does not exist".
    /// - Parameter reader: at its root.
    static func words(_ reader: XMLReader, _ root: XMLElement) -> String {
        var (code, message) = ("an error", "")
        while let child = (try? reader.nextChild(of: root)) ?? nil {
            let name = reader.localName
            guard name == "Code" || name == "Message", let text = try? reader.text(of: child) else { continue }
            if name == "Code" { code = text } else { message = text }
        }
        return DisplayText.sanitized(message.isEmpty ? "S3 says \(code)" : "S3 says \(code): \(message)")
    }
}
