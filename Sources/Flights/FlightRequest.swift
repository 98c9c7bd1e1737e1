/// A request to the service as pure text.
package struct FlightRequest: Hashable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    package var url: String
    /// Header fields besides those every request has.
    package var headers: [Field]
    /// Empty with GET.
    package var body: String

    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String
    }
}
