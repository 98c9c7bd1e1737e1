/// A city the service knows. Names are trimmed but otherwise as received: see `CityDirectory` for what is safe to show.
package struct City: Hashable, Sendable {
    /// The Chinese name, which the service takes as the city of a query.
    package var name: String
    /// The name in Latin letters; not unique.
    package var englishName: String
    /// Three capitals of the airline trade; not unique, but what the service means by it is one city.
    package var code: String

    package init(name: String, englishName: String, code: String) {
        self.name = name
        self.englishName = englishName
        self.code = code
    }

    /// Whether this is a city's code. A row without one is a message of the service.
    static func isCode(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { 0x41...0x5A ~= $0 }
    }
}
