package import Platform

/// The name of a file in a route's directory: "2026-12-04.txt". One date and format have one name.
package struct FlightFileName: Hashable, Sendable {
    package var date: FlightDate
    package var format: FlightFormat

    package init(date: FlightDate, format: FlightFormat) {
        self.date = date
        self.format = format
    }

    /// - Returns: nil for anything but a date that exists and a known extension: no such file.
    package init?(_ name: FileName) {
        guard name.bytes.count <= 15, let text = String(validating: name.bytes, as: UTF8.self), text.utf8.count > 11,
            text.utf8[text.utf8.index(text.startIndex, offsetBy: 10)] == UInt8(ascii: "."),
            let date = FlightDate(text.prefix(10)), let format = FlightFormat(rawValue: String(text.dropFirst(11)))
        else { return nil }
        self.init(date: date, format: format)
    }

    package var fileName: FileName { FileName("\(date).\(format.rawValue)") }
}
