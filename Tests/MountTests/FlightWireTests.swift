import LoopbackServer
import MountHarness
import Testing

/// How the service is spoken to.
struct FlightWireTests {
    @Test(arguments: [
        ("get", DomesticAirlineCall.Transport.get), ("post", .post), ("soap11", .soap11), ("soap12", .soap12),
    ])
    func allTransportsGiveTheSameFlights(_ name: String, _ transport: DomesticAirlineCall.Transport) async throws {
        try await withConfiguredFlights("transport: '\(name)'") { flights async throws in
            #expect(try await flights.mount.list("flights").count == 41)
            let table = try await flights.text("cat $F/上海/北京/2026-12-24.csv")
            #expect(table.hasPrefix("airline,flight,") && table.contains("上海虹桥国际机场"))
            let root = transport == .get || transport == .post ? "<DataSet " : "<soap:Envelope "
            #expect(try await flights.text("cat $F/上海/北京/2026-12-24.xml").contains(root))
            let calls = flights.service.calls(of: .cities) + flights.service.calls(of: .flights)
            #expect(calls.count == 2 && calls.allSatisfy { $0.transport == transport }, "\(calls)")
            #expect(
                calls.last?.parameters == ["startCity": "上海", "lastCity": "北京", "theDate": "2026-12-24", "userID": ""])
            #expect(flights.server.log.allSatisfy { $0.header("expect") == nil })
        }
    }

    @Test func customersNumberIsSentAndShownNowhere() async throws {
        for transport in ["get", "soap12"] {
            try await withConfiguredFlights("transport: '\(transport)', userID: 's3cr3tID'", options: "debug") {
                flights async throws in
                #expect(try await flights.cat("上海/北京/2026-12-24.txt").succeeded)
                #expect(flights.service.calls(of: .flights).map { $0.parameters["userID"] } == ["s3cr3tID"])
                // The service's words may repeat it.
                flights.server.on("*") { request, _ in
                    Answer(
                        status: 500, headers: [("Content-Type", "text/plain")],
                        body: .text("Bad user s3cr3tID at \(request.target)"))
                }
                #expect(try await flights.cat("上海/北京/2026-12-25.txt").fails(with: "Input/output error"))
                let shown = try await flights.text(
                    """
                    cat $M/.skyfs/status $M/.skyfs/status.json; grep skyfs /proc/mounts; cat $F/上海/北京/2026-12-24.*
                    getfattr -d -R $F/上海/北京 $F; getfattr -d $F/上海/北京/2026-12-25.txt; tr '\\0' ' ' < /proc/\(flights.mount.process.pid)/cmdline
                    """)
                #expect(shown.contains("Bad user …"), "\(shown)")
                #expect(!shown.contains("s3cr3t"), "\(shown)")
                #expect(!flights.mount.process.errors.contains("s3cr3t"), "\(flights.mount.process.errors)")
            }
        }
    }

    @Test func requestWithABodyIsNotLedToAnotherServer() async throws {
        let other = try LoopbackServer()
        defer { other.stop() }
        other.on("*") { _, _ in Answer(status: 404) }
        for status in [301, 302, 303, 307, 308] {
            let redirect = Answer(status: status, headers: [("Location", other.url + FlightScene.flightsPath)])
            try await withConfiguredFlights("transport: 'post', userID: 's3cr3tID'", instead: { _ in redirect }) {
                flights async throws in
                #expect(try await flights.cat("上海/北京/2026-12-24.txt").fails(with: "Input/output error"))
            }
        }
        #expect(other.log.isEmpty)
    }

    @Test func severalServicesAndOtherSourcesStandBeside() async throws {
        let second = DomesticAirlineService(path: "/other.asmx")
        try await withFlights(
            instead: { request in
                request.path == "/f.txt" ? FileResource(.text("f\n")).answer(to: request) : second.answer(to: request)
            },
            sources: { server in
                [
                    "a=flights+\(server.url)/other.asmx", "b=flights+\(server.url)/OTHER.asmx/",
                    "file=\(server.url)/f.txt",
                ]
            }
        ) { flights async throws in
            #expect(try await flights.mount.list() == ["a", "b", "file"])
            #expect(try await flights.mount.cat("a/上海/北京/2026-12-24.txt").succeeded)
            #expect(try await flights.mount.cat("b/上海/北京/2026-12-24.txt").succeeded)
            // Two addresses may be two services.
            #expect(second.calls(of: .flights).count == 2)
            #expect(try await flights.mount.text("file") == "f\n")
        }
    }
}
