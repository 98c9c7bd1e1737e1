import Flights
import Testing

@Suite struct FlightServiceTests {
    private let query = FlightQuery(
        from: "上海", to: "A&B <c>", date: FlightDate("2026-12-24") ?? FlightDate(dayNumber: 0))
    private let address = "http://127.0.0.1:81/webservices/DomesticAirline.asmx"

    private func fields(_ request: FlightRequest) -> [String] { request.headers.map { "\($0.name): \($0.value)" } }

    private func service(_ transport: FlightTransport, userID: String = "") -> FlightService {
        FlightService(address: address + "/?wsdl", transport: transport, userID: userID)
    }

    @Test func get() {
        let request = service(.get).flights(query)
        #expect(request.method == .get && request.body.isEmpty && request.headers.isEmpty)
        #expect(
            request.url == address
                + "/getDomesticAirlinesTime?startCity=%E4%B8%8A%E6%B5%B7&lastCity=A%26B%20%3Cc%3E&theDate=2026-12-24&userID="
        )
        #expect(service(.get).cities.url == address + "/getDomesticCity")
        #expect(FlightService().cities.url == FlightService.usualAddress + "/getDomesticCity")
    }

    @Test func post() {
        let request = service(.post, userID: "4711+x").flights(query)
        #expect(request.method == .post && request.url == address + "/getDomesticAirlinesTime")
        #expect(fields(request) == ["Content-Type: application/x-www-form-urlencoded"])
        #expect(
            request.body
                == "startCity=%E4%B8%8A%E6%B5%B7&lastCity=A%26B%20%3Cc%3E&theDate=2026-12-24&userID=4711%2Bx")
        #expect(service(.post).cities.method == .post && service(.post).cities.body.isEmpty)
    }

    @Test(arguments: [FlightTransport.soap11, .soap12]) func soap(_ transport: FlightTransport) {
        let request = service(transport, userID: "1").flights(query)
        let namespace =
            transport == .soap11
            ? "http://schemas.xmlsoap.org/soap/envelope/" : "http://www.w3.org/2003/05/soap-envelope"
        #expect(request.method == .post && request.url == address)
        #expect(
            request.body == """
                <?xml version="1.0" encoding="utf-8"?>
                <soap:Envelope xmlns:soap="\(namespace)"><soap:Body>\
                <getDomesticAirlinesTime xmlns="http://WebXml.com.cn/"><startCity>上海</startCity>\
                <lastCity>A&amp;B &lt;c&gt;</lastCity><theDate>2026-12-24</theDate><userID>1</userID>\
                </getDomesticAirlinesTime></soap:Body></soap:Envelope>
                """)
        let action = "\"http://WebXml.com.cn/getDomesticAirlinesTime\""
        #expect(
            fields(request)
                == (transport == .soap11
                    ? [
                        "Content-Type: text/xml; charset=utf-8",
                        "SOAPAction: \(action)",
                    ] : ["Content-Type: application/soap+xml; charset=utf-8; action=\(action)"]))
    }

    @Test func hostileTermsStayText() {
        let hostile = FlightQuery(from: "a\r\nX: y\u{0}", to: "]]>&x;", date: query.date)
        for transport in FlightTransport.allCases {
            let request = service(transport).flights(hostile)
            #expect(!request.url.utf8.contains { $0 < 0x21 || $0 > 0x7E } && !request.body.contains("\u{0}"))
            if transport == .get {
                #expect(request.url.contains("startCity=a%0D%0AX%3A%20y%00&lastCity=%5D%5D%3E%26x%3B&"))
            }
            if transport == .soap11 {
                #expect(
                    request.body.contains(
                        "<startCity>a&#13;&#10;X: y\u{FFFD}</startCity><lastCity>]]&gt;&amp;x;</lastCity>"))
            }
        }
    }

    @Test func keysTellQueriesApart() {
        #expect(query.key == "上海\u{1F}A&B <c>\u{1F}2026-12-24")
    }

    @Test func theCustomersNumberIsNotShown() {
        #expect("\(service(.soap12, userID: "4711"))" == "\(address) (soap12)")
    }
}
