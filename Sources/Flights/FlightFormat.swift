/// How an answer is shown; the raw value is the file name's extension.
package enum FlightFormat: String, CaseIterable, Sendable {
    /// An aligned table for people.
    case text = "txt"
    case json, csv
    /// The document as received.
    case xml
}
