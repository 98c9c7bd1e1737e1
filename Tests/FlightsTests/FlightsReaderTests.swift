import Flights
import Testing

@Suite struct FlightsReaderTests {
    /// The fields of a flight in the order of the service's schema.
    private func fields(_ flight: Flight) -> [String] {
        [
            flight.airline, flight.number, flight.fromAirport, flight.toAirport, flight.departs, flight.arrives,
            flight.aircraft, flight.stops, flight.weekdays,
        ]
    }

    private static let hongqiao = "上海虹桥国际机场"
    private static let capital = "北京首都国际机场"
    private static let expected = [
        ["东方航空", "MU9001", hongqiao, capital, "07:00", "09:20", "333", "0", "12345"],
        ["南方航空", "CZ9002", hongqiao, capital, "07:00", "09:20", "333", "0", "12345"],
        ["海南航空", "HU9003", "上海浦东国际机场", capital, "11:25", "13:45", "738", "0", "123456日"],
        ["中国国航", "CA9004", hongqiao, capital, "15:40", "19:05", "JET", "1", "2346日"],
        ["吉祥航空", "HO9005", hongqiao, capital, "21:50", "00:20", "76A", "0", "3"],
    ]

    @Test(arguments: ["flights-sha-bjs-get.xml", "flights-sha-bjs-soap11.xml", "flights-sha-bjs-soap12.xml"])
    func everyValueIsRead(_ name: String) throws {
        let flights = try FlightsReader.flights(in: Document.bytes(name))
        #expect(flights.map(fields) == Self.expected)
        #expect(flights.map(\.arrivesNextDay) == [false, false, false, false, true])
    }

    @Test func entitiesSectionsAndPiecesAreRead() throws {
        var expected = Self.expected
        expected[0][0] = "东方&航空(MU)"
        expected[2][2] = "上海浦东国际机场 <T2>"
        let flights = try FlightsReader.flights(in: Document.bytes("flights-torture-get.xml"))
        #expect(flights.map(fields) == expected)
    }

    @Test(arguments: [
        "flights-none-get.xml", "flights-none-soap12.xml", "flights-none-nulls-get.xml", "flights-emptydataset-get.xml",
    ])
    func noFlights(_ name: String) throws {
        #expect(try FlightsReader.flights(in: Document.bytes(name)).isEmpty)
    }

    @Test func messagesAreNoFlights() throws {
        #expect(throws: FlightsError.unknownCity("出发或抵达的城市不被支持")) {
            try FlightsReader.flights(in: Document.bytes("flights-badcity-get.xml"))
        }
        let quota = "发现错误：免费用户24小时内访问超过规定数量。"
        #expect(throws: FlightsError.quota("\(quota) http://www.webxml.com.cn/")) {
            try FlightsReader.flights(in: Document.bytes("flights-quota-get.xml"))
        }
        let document = try Document.text("flights-quota-get.xml")
        for (words, expected) in [
            ("免费用户 24 小时内访问超过规定数量", FlightsError.quota("免费用户 24 小时内访问超过规定数量")),
            ("see http://www.WebXml.com.cn/", .quota("see http://www.WebXml.com.cn/")),
            ("维护中", .refused("维护中")), ("", .notTheAnswer("a row without a flight and without words")),
        ] {
            let changed = document.replacing(quota, with: words).replacing(
                "<AirlineCode>http://www.webxml.com.cn/", with: "<AirlineCode>")
            #expect(throws: expected) { try FlightsReader.flights(in: Array(changed.utf8)) }
        }
    }

    @Test func faultsAndFailures() throws {
        let words = "Server was unable to process request. ---> Timeout expired."
        let fault = try Document.bytes("soap11-fault.xml")
        #expect(throws: FlightsError.refused(words)) { try FlightsReader.flights(in: fault) }
        #expect(FlightsReader.failure(status: 500, body: fault) == .refused("HTTP status 500: \(words)"))
        let fault12 = """
            <e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"><e:Body><e:Fault><e:Code><e:Value>e:Receiver</e:Value>\
            </e:Code><e:Reason><e:Text xml:lang="en">Broken</e:Text></e:Reason></e:Fault></e:Body></e:Envelope>
            """
        #expect(throws: FlightsError.refused("Broken")) { try FlightsReader.flights(in: Array(fault12.utf8)) }
        #expect(
            FlightsReader.failure(status: 500, body: try Document.bytes("http500-missing-userID.txt"))
                == .refused("HTTP status 500: System.InvalidOperationException: Missing parameter: userID."))
        #expect(
            FlightsReader.failure(status: 500, body: try Document.bytes("http500-badop.html"))
                == .refused("HTTP status 500"))
        #expect(FlightsReader.failure(status: 429, body: []) == .quota("HTTP status 429"))
        #expect(
            FlightsReader.failure(status: 404, body: Array("a\u{1B}[2J\u{202E}b".utf8))
                == .refused("HTTP status 404: a\u{FFFD}[2J\u{FFFD}b"))
    }

    @Test func cities() throws {
        for name in ["cities-get.xml", "cities-soap12.xml"] {
            let cities = try FlightsReader.cities(in: Document.bytes(name))
            #expect(cities.count == 14)
            #expect(cities.first == City(name: "阿尔山", englishName: "Aershan", code: "YIE"))
            #expect(cities[6] == City(name: "鄂尔多斯", englishName: "E'erduosi", code: "DSN"))
            #expect(cities.last == City(name: "遵义", englishName: "Zunyi", code: "ZYI"))
        }
        #expect(throws: FlightsError.self) { try FlightsReader.cities(in: Document.bytes("flights-sha-bjs-get.xml")) }
        #expect(throws: FlightsError.self) { try FlightsReader.flights(in: Document.bytes("cities-get.xml")) }
        let empty = try Document.text("flights-emptydataset-get.xml")
        #expect(throws: FlightsError.notTheAnswer("its list of cities is empty")) {
            try FlightsReader.cities(in: Array(empty.utf8))
        }
    }

    /// What the service says is cleaned; a row with a bad value does not spoil the others.
    @Test func textIsSafeToShow() throws {
        let document = try Document.text("flights-sha-bjs-get.xml").replacing(
            "333", with: "\u{85}3\u{202E}\u{2066}&#x7F;3&#10;3")
        let flights = try FlightsReader.flights(in: Array(document.utf8))
        #expect(
            flights.map(\.aircraft) == [
                "\u{FFFD}3\u{FFFD}\u{FFFD}\u{FFFD}3\u{FFFD}3", "\u{FFFD}3\u{FFFD}\u{FFFD}\u{FFFD}3\u{FFFD}3", "738",
                "JET", "76A",
            ])
    }
}
