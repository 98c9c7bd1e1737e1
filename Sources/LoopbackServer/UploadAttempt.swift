package import Platform

/// One POST to an upload target, whatever became of it.
package struct UploadAttempt: Sendable {
    /// From 0 in the order their heads arrived.
    package var number: Int
    package var target: String
    /// The request's head exactly as it came, without the empty line after it.
    package var head: String
    /// The stated length, nil if there is none.
    package var contentLength: Int64?
    /// The value of Idempotency-Key.
    package var key: String?
    package var start: Instant
    /// How much of the body was read.
    package var bytesRead: Int64 = 0
    /// The parts read to their end, in order.
    package var parts: [FormPart] = []
    /// Empty until the form was found good.
    package var boundary = ""
    /// Why the body is no form as browsers send it; answered 400.
    package var flaw: String?
    /// Whether the upload counts.
    package var isKept = false
    /// The status that was or is being sent, nil without an answer.
    package var status: Int?
    /// Whether the target is still at it.
    package var isOpen = true

    /// The first part that is a file.
    package var file: FormPart? { parts.first { $0.fileName != nil } }
    /// The text fields in order.
    package var fields: [FormPart] { parts.filter { $0.fileName == nil } }

    /// The values of a field of the head (any case), in order.
    package func headerValues(_ name: String) -> [String] {
        head.split(separator: "\r\n").dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
                return nil
            }
            return String(line[line.index(after: colon)...].drop { $0 == " " })
        }
    }
}
