/// A request to the service as pure text.
package struct FlightRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    package var url: String
    /// Header fields besides those every request has.
    package var headers: [(name: String, value: String)]
    /// Empty with GET.
    package var body: String
}
