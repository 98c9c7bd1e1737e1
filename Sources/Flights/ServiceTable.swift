/// Where the rows of one of the service's operations lie in its documents.
struct ServiceTable: Sendable {
    /// The element around the operation's result in SOAP, and the result.
    let response: StaticString
    let result: StaticString
    /// The element around the rows, and a row.
    let wrapper: StaticString
    let row: StaticString
    /// The elements of a row.
    let columns: [StaticString]

    static let flights = ServiceTable(
        response: "getDomesticAirlinesTimeResponse", result: "getDomesticAirlinesTimeResult", wrapper: "Airlines",
        row: "AirlinesTime",
        columns: [
            "Company", "AirlineCode", "StartDrome", "ArriveDrome", "StartTime", "ArriveTime", "Mode", "AirlineStop",
            "Week",
        ])
    static let cities = ServiceTable(
        response: "getDomesticCityResponse", result: "getDomesticCityResult", wrapper: "Airline1", row: "Address",
        columns: ["cnCityName", "enCityName", "Abbreviation"])

    /// Rows of one document; the longest real answer, the list of cities, has 238.
    static let maximumRows = 10_000
}
