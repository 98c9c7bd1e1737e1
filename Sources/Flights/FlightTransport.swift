/// How the service is spoken to; deployments differ in what they allow. The raw value is the name in the configuration.
package enum FlightTransport: String, CaseIterable, Sendable {
    case get, post, soap11, soap12
}
