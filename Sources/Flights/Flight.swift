/// One flight as the service tells it; every text is trimmed and safe to show. What the service left out is empty.
package struct Flight: Hashable, Sendable {
    package var airline: String
    /// For example "MU9001": two letters or digits, then a digit.
    package var number: String
    /// Airports by their full Chinese names.
    package var fromAirport: String
    package var toAirport: String
    /// Local times, "07:00".
    package var departs: String
    package var arrives: String
    /// A type code of the airline trade, "333".
    package var aircraft: String
    /// How many stops, as text: "0".
    package var stops: String
    /// The days of the week it flies, in the service's letters: "1" to "6" and "日".
    package var weekdays: String

    /// Whether it arrives on the day after it departs. The service only tells the times: then the second is the earlier one.
    package var arrivesNextDay: Bool {
        guard let departs = Self.minutes(departs), let arrives = Self.minutes(arrives) else { return false }
        return arrives < departs
    }

    /// Whether this is a flight's number. A row without one is a message of the service.
    static func isNumber(_ text: String) -> Bool {
        var bytes = text.utf8.makeIterator()
        guard let first = bytes.next(), let second = bytes.next(), let third = bytes.next() else { return false }
        return isCapitalOrDigit(first) && isCapitalOrDigit(second) && isDigit(third)
    }

    /// Minutes since midnight of "HH:mm".
    private static func minutes(_ text: String) -> Int? {
        var number = 0
        for (place, byte) in text.utf8.enumerated() where place != 2 || byte != UInt8(ascii: ":") {
            guard place < 5, place != 2, isDigit(byte) else { return nil }
            number = number * 10 + Int(byte) - 0x30
        }
        let (hour, minute) = (number / 100, number % 100)
        return text.utf8.count == 5 && hour < 24 && minute < 60 ? hour * 60 + minute : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
    private static func isCapitalOrDigit(_ byte: UInt8) -> Bool { isDigit(byte) || 0x41...0x5A ~= byte }
}
