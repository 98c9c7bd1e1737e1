import Flights
import LoopbackServer
import Testing

/// The played flight service, asked by the requests skyfs makes and read by its reader.
@Suite struct DomesticAirlineTests {
    private final class Scene {
        let server: LoopbackServer
        let airline: DomesticAirlineService
        let path = "/webservices/DomesticAirline.asmx"

        init(limits: DomesticAirlineService.Limits? = nil) throws {
            server = try LoopbackServer()
            let airline = DomesticAirlineService(limits: limits)
            self.airline = airline
            server.on("*") { request, _ in airline.answer(to: request) ?? Answer(status: 404) }
        }

        deinit { server.stop() }

        func service(_ transport: FlightTransport = .get, userID: String = "") -> FlightService {
            FlightService(address: server.url + path, transport: transport, userID: userID)
        }

        /// Status, head and body of the answer.
        func ask(_ request: FlightRequest) throws -> (status: Int, head: [String], body: [UInt8]) {
            let client = try RawClient(port: server.port)
            let target = request.url.dropFirst(server.url.count)
            var lines = ["\(request.method.rawValue) \(target) HTTP/1.1", "Host: x", "Connection: close"]
            lines += request.headers.map { "\($0.name): \($0.value)" }
            if request.method == .post { lines.append("Content-Length: \(request.body.utf8.count)") }
            client.send((lines + ["", request.body]).joined(separator: "\r\n"))
            return client.readAnswer()
        }

        func flights(
            _ from: String = "上海", _ to: String = "北京", _ date: String = "2026-12-24",
            _ transport: FlightTransport = .get,
            userID: String = ""
        ) throws -> [Flight] {
            let query = FlightQuery(from: from, to: to, date: try #require(FlightDate(date)))
            let answer = try ask(service(transport, userID: userID).flights(query))
            guard answer.status == 200 else { throw FlightsReader.failure(status: answer.status, body: answer.body) }
            return try FlightsReader.flights(in: answer.body)
        }
    }

    @Test(arguments: FlightTransport.allCases) func allTransports(_ transport: FlightTransport) throws {
        let scene = try Scene()
        let answer = try scene.ask(scene.service(transport).cities)
        let cities = try FlightsReader.cities(in: answer.body)
        #expect(cities.count == 41 && cities.contains(City(name: "上海", englishName: "Shanghai", code: "SHA")))
        let type = transport == .soap12 ? "application/soap+xml" : "text/xml"
        #expect(answer.head.contains("Content-Type: \(type); charset=utf-8"))
        let isIndented = transport == .get || transport == .post
        #expect(String(decoding: answer.body, as: UTF8.self).contains("\r\n      <Address ") == isIndented)
        let flights = try scene.flights("上海", "BJS", "2026-12-24", transport)
        #expect(try flights == scene.flights("SHA", "北京"))
        #expect(!flights.isEmpty && flights.allSatisfy { $0.weekdays.contains("4") })
        #expect(flights.map(\.departs) == flights.map(\.departs).sorted())
        let calls = scene.airline.calls(of: .flights)
        #expect(
            calls.count == 2
                && calls[0].parameters == ["startCity": "上海", "lastCity": "BJS", "theDate": "2026-12-24", "userID": ""])
        #expect(scene.airline.calls(of: .cities).count == 1)
    }

    /// The layout is that of the service, to the byte.
    @Test func documentsAreTheServices() throws {
        let scene = try Scene()
        scene.airline.play(.quota, for: .flights)
        let query = FlightQuery(from: "上海", to: "北京", date: FlightDate(dayNumber: 20_000))
        let document = String(decoding: try scene.ask(scene.service().flights(query)).body, as: UTF8.self)
        let rows = """
              <diffgr:diffgram xmlns:msdata="urn:schemas-microsoft-com:xml-msdata" xmlns:diffgr="urn:schemas-microsoft-com:xml-diffgram-v1">
                <Airlines xmlns="">
                  <AirlinesTime diffgr:id="AirlinesTime1" msdata:rowOrder="0">
                    <Company>发现错误：免费用户24小时内访问超过规定数量。</Company>
                    <AirlineCode>http://www.webxml.com.cn/</AirlineCode>
                    <StartDrome />
            """
        #expect(
            document.hasPrefix(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<DataSet xmlns=\"http://WebXml.com.cn/\">\r\n"))
        #expect(document.contains(rows.replacing("\n", with: "\r\n")) && document.hasSuffix("</DataSet>\r\n"))
    }

    @Test func someDaysHaveNoFlights() throws {
        let scene = try Scene()
        let day = try #require(FlightDate("2026-12-01"))
        let counts = try (0..<40).map { try scene.flights("上海", "成都", day.adding(days: $0).description).count }
        #expect(counts.contains(0) && counts.filter { $0 > 0 }.count > 20 && Set(counts).count > 4)
        #expect(try scene.flights("上海", "上海").isEmpty)
    }

    @Test func refusals() throws {
        let scene = try Scene()
        #expect(throws: FlightsError.unknownCity("出发或抵达的城市不被支持")) { try scene.flights("上海", "Atlantis") }
        for (target, status, words) in [
            (
                "/getDomesticAirlinesTime?startCity=&lastCity=&theDate=", 500,
                "System.InvalidOperationException: Missing parameter: userID."
            ),
            (
                "/getDomesticAirlinesTime?theDate=x&startCity=&lastCity=&userID=", 500,
                "System.FormatException: String was not"
            ),
            (
                "/getDomesticAirlinesTime?theDate=2026-02-30&startCity=&lastCity=&userID=", 500,
                "System.FormatException: String was not"
            ),
            ("/getNothing", 500, "<html>"), ("/a/b", 404, ""),
            ("/getDomesticAirlinesTime?theDate=2026-2-3&startCity=&lastCity=&userID=", 200, "<?xml"),
        ] {
            let client = try RawClient(port: scene.server.port)
            client.get(scene.path.uppercased() + target)
            let answer = client.readAnswer()
            #expect(
                answer.status == status && String(decoding: answer.body, as: UTF8.self).hasPrefix(words), "\(target)")
        }
        for (type, body) in [("text/xml", "<a/>"), ("application/soap+xml", "<a/>"), ("application/soap+xml", "\u{0}")]
        {
            var request = scene.service(.soap11).cities
            (request.headers, request.body) = ([("Content-Type", type)], body)
            #expect(try scene.ask(request).status == 500)
        }
        let client = try RawClient(port: scene.server.port)
        client.get("/elsewhere")
        #expect(client.readAnswer().status == 404)
    }

    @Test func limitsOfFreeUsers() throws {
        let scene = try Scene(limits: .init(interval: .seconds(3600)))
        _ = try scene.flights()
        #expect(throws: FlightsError.quota("发现错误：免费用户不能使用高速访问。 http://www.webxml.com.cn/")) { try scene.flights() }
        #expect(try !scene.flights(userID: "4711").isEmpty)
        #expect(try #require(scene.airline.shortestInterval) < .seconds(3600))
        let daily = try Scene(limits: .init(interval: .zero, daily: 1))
        _ = try daily.flights()
        #expect(throws: FlightsError.quota("发现错误：免费用户24小时内访问超过规定数量。 http://www.webxml.com.cn/")) { try daily.flights() }
    }

    @Test func faults() throws {
        let scene = try Scene()
        let right = try scene.flights()
        for kind in [DomesticAirlineBehaviour.HostileDocument.byteOrderMark, .declaredGB2312] {
            scene.airline.play(.hostile(kind), for: .flights)
            #expect(try scene.flights() == right, "\(kind)")
        }
        for kind in [
            DomesticAirlineBehaviour.HostileDocument.gbkAsUTF8, .invalidByteInName, .controlCharacter, .entityBomb,
            .externalEntity("file:///etc/passwd"), .externalEntity("\(scene.server.url)/leak"), .deep(200_000), .page,
            .empty,
        ] {
            scene.airline.play(.hostile(kind), for: .flights)
            do {
                let flights = try scene.flights()
                Issue.record("\(kind): \(flights)")
            } catch let error as FlightsError {
                guard case .notTheAnswer(let words) = error, !words.contains("root:") else {
                    Issue.record("\(kind): \(error)")
                    continue
                }
            }
        }
        #expect(!scene.server.log.contains { $0.target == "/leak" })
        for behaviour in [DomesticAirlineBehaviour.cut(afterBody: 3000), .shortened(to: 3000)] {
            scene.airline.play(behaviour, for: .flights)
            #expect(throws: FlightsError.self) { try scene.flights() }
        }
        scene.airline.play(.failure(status: 503), for: .flights)
        #expect(throws: FlightsError.refused("HTTP status 503")) { try scene.flights() }
        scene.airline.play(.tooFast, for: .flights)
        #expect(throws: FlightsError.self) { try scene.flights() }
        scene.airline.play(.slow(.milliseconds(50)), for: .flights)
        #expect(try scene.flights() == right)
    }
}
