import Flights
import FoundationEssentials
import Glibc
import Testing

/// Whatever comes instead of an answer: the right flights or a clear error, never a shorter list, a crash or a file's text.
@Suite struct HostileAnswerTests {
    private static let samples = [
        "flights-sha-bjs-get.xml", "flights-sha-bjs-soap11.xml", "flights-sha-bjs-soap12.xml",
    ]

    /// E06, cut answers.
    @Test(arguments: samples) func cutAtEveryByte(_ name: String) throws {
        let document = try Document.bytes(name)
        let whole = try FlightsReader.flights(in: document)
        var complete = 0
        for end in 0..<document.count {
            do {
                #expect(try FlightsReader.flights(in: Array(document[..<end])) == whole, "cut at \(end)")
                complete += 1
            } catch {
                guard case .notTheAnswer = error else {
                    Issue.record("cut at \(end): \(error)")
                    return
                }
            }
        }
        // Only the line feed after the root may be missing.
        #expect(complete <= 2)
    }

    /// Each byte replaced by one that is in no UTF-8 text, those of element names among them.
    @Test func invalidByteAtEveryPlace() throws {
        let document = try Document.bytes("flights-sha-bjs-get.xml")
        let whole = try FlightsReader.flights(in: document)
        for index in document.indices {
            var spoilt = document
            spoilt[index] = 0xFF
            do {
                #expect(try FlightsReader.flights(in: spoilt) == whole, "at \(index)")
            } catch {
                guard case .notTheAnswer = error else {
                    Issue.record("at \(index): \(error)")
                    return
                }
            }
        }
    }

    /// E06, encodings. Bytes of another encoding than the declared one are an error.
    @Test func encodings() throws {
        let document = try Document.text("flights-sha-bjs-get.xml")
        let whole = try FlightsReader.flights(in: Array(document.utf8))
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(try FlightsReader.flights(in: mark + Array(document.utf8)) == whole)
        let chinese = try gbk(document)
        #expect(throws: FlightsError.self) { try FlightsReader.flights(in: chinese) }
        for name in ["gb2312", "GBK", "gb18030"] {
            let declared = try gbk(document.replacing("utf-8", with: name))
            #expect(try FlightsReader.flights(in: declared) == whole, "\(name)")
        }
        let blank = "\r\n" + document
        #expect(throws: FlightsError.self) { try FlightsReader.flights(in: Array(blank.utf8)) }
        let latin =
            try Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>".utf8) + flightsDocument(company: [0x63, 0xE9])
        #expect(try FlightsReader.flights(in: latin).map(\.airline) == ["cé"])
    }

    /// E06, a character that XML does not have.
    @Test func forbiddenCharacters() throws {
        for company in ["a&#1;b", "a\u{1}b", "a&#xD800;b", "a&#x110000;b"] {
            #expect(throws: FlightsError.self) {
                try FlightsReader.flights(in: flightsDocument(company: Array(company.utf8)))
            }
        }
    }

    /// E05.
    @Test func entitiesAndDocumentTypes() throws {
        let secret = FileManager.default.temporaryDirectory.appending(path: "skyfs-flights-\(UUID()).txt")
        try Data("SECRETMARK".utf8).write(to: secret)
        defer { try? FileManager.default.removeItem(at: secret) }
        var bomb = "<!ENTITY a \"aaaaaaaaaa\">"
        for (name, inner) in zip("bcdefgh", "abcdefg") {
            bomb += "<!ENTITY \(name) \"" + String(repeating: "&\(inner);", count: 10) + "\">"
        }
        for (type, company) in [
            ("<!DOCTYPE r [\(bomb)]>", "&h;"), ("<!DOCTYPE r [<!ENTITY x SYSTEM \"file://\(secret.path)\">]>", "a&x;b"),
            (
                "<!DOCTYPE r SYSTEM \"http://127.0.0.1:9/x.dtd\" [<!ENTITY y SYSTEM \"http://127.0.0.1:9/leak\">]>",
                "c&y;d"
            ),
            ("<!DOCTYPE r [<!ENTITY % p SYSTEM \"file://\(secret.path)\">%p;]>", "e"), ("<!DOCTYPE r>", "f"),
            ("", "&x;"),
        ] {
            let document =
                Array("<?xml version=\"1.0\"?>\(type)".utf8) + (try flightsDocument(company: Array(company.utf8)))
            do {
                let flights = try FlightsReader.flights(in: document)
                Issue.record("\(type): \(flights)")
            } catch {
                #expect(!error.description.contains("SECRETMARK"))
            }
        }
    }

    /// E05, depth; and what is too large.
    @Test func depthAndSize() throws {
        let deep = String(repeating: "<a>", count: 200_000) + String(repeating: "</a>", count: 200_000)
        for document in [
            deep, "<DataSet xmlns=\"http://WebXml.com.cn/\">\(deep)</DataSet>",
            String(repeating: "<a", count: 1_000_000),
            String(repeating: "x", count: 5 << 20), String(repeating: " ", count: 4 << 20),
        ] {
            #expect(throws: FlightsError.self) { try FlightsReader.flights(in: Array(document.utf8)) }
        }
        let row = "<AirlinesTime><AirlineCode>MU1</AirlineCode></AirlinesTime>"
        let many = try Document.text("flights-sha-bjs-get.xml").replacing(
            "<Airlines xmlns=\"\">", with: "<Airlines xmlns=\"\">" + String(repeating: row, count: 10_000))
        #expect(throws: FlightsError.notTheAnswer("over 10000 rows")) {
            try FlightsReader.flights(in: Array(many.utf8))
        }
    }

    @Test func otherDocuments() throws {
        for document in [
            "", " ", "\u{0}", "OK", "<html><head><title>Login</title></head><body><p>Hello<br></body></html>",
            "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body/></html>", "<DataSet/>",
            "<DataSet xmlns=\"http://WebXml.com.cn/\"/>",
            "<string xmlns=\"http://WebXml.com.cn/\">x</string>", "{\"flights\":[]}",
            "<Envelope xmlns=\"http://www.w3.org/2003/05/soap-envelope\"><Body/></Envelope>",
        ] {
            #expect(throws: FlightsError.self, "\(document)") { try FlightsReader.flights(in: Array(document.utf8)) }
        }
        #expect(throws: FlightsError.notTheAnswer("its root is html")) {
            try FlightsReader.flights(in: Array("<html/>".utf8))
        }
        // Rows under other names are not an empty answer.
        for (name, other) in [("AirlinesTime", "Trains"), ("Airlines xmlns", "Other xmlns"), ("/Airlines>", "/Other>")]
        {
            var document = try Document.text("flights-sha-bjs-get.xml")
            if other != "Trains" {
                document = document.replacing("<Airlines xmlns", with: "<Other xmlns").replacing(
                    "</Airlines>", with: "</Other>")
            } else {
                document = document.replacing(name, with: other)
            }
            #expect(throws: FlightsError.self) { try FlightsReader.flights(in: Array(document.utf8)) }
        }
    }

    /// A GET document with one flight, without an XML declaration.
    private func flightsDocument(company: [UInt8]) throws -> [UInt8] {
        let head = """
            <DataSet xmlns="http://WebXml.com.cn/"><d:diffgram xmlns:d="urn:schemas-microsoft-com:xml-diffgram-v1">\
            <Airlines xmlns=""><AirlinesTime><AirlineCode>MU9001</AirlineCode><Company>
            """
        let tail = "</Company></AirlinesTime></Airlines></d:diffgram></DataSet>"
        return Array(head.utf8) + company + Array(tail.utf8)
    }

    private func gbk(_ text: String) throws -> [UInt8] {
        let converter = iconv_open("GBK", "UTF-8")
        defer { iconv_close(converter) }
        var input = text.utf8.map { CChar(bitPattern: $0) }
        var output = [CChar](repeating: 0, count: input.count * 2)
        var (inputLeft, outputLeft) = (input.count, output.count)
        let result = input.withUnsafeMutableBufferPointer { from in
            output.withUnsafeMutableBufferPointer { to in
                var (source, target) = (from.baseAddress, to.baseAddress)
                return iconv(converter, &source, &inputLeft, &target, &outputLeft)
            }
        }
        try #require(result == 0)
        return output.dropLast(outputLeft).map { UInt8(bitPattern: $0) }
    }
}
