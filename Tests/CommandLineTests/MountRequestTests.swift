import Filesystem
import FoundationEssentials
import Testing

@testable import skyfs

struct MountRequestTests {
    private func request(_ sources: String...) throws(CommandError) -> MountRequest {
        var request = MountRequest()
        for source in sources { try request.add(source) }
        try request.check()
        return request
    }

    @Test func aSingleSourceHasNoName() throws {
        let request = try request("https://host/dir/?a=b")
        #expect(request.sources.map(\.name) == [nil])
    }

    @Test func namesStandBeforeTheURL() throws {
        let request = try request("a=https://host/x=y/", "b c=http://other/")
        #expect(request.sources.map(\.name) == ["a", "b c"])
        #expect(request.sources.map(\.url) == ["https://host/x=y/", "http://other/"])
    }

    @Test(arguments: [
        ["a=http://h/", "a=http://h/"], ["http://h/", "http://g/"], ["..=http://h/"], [".skyfs=http://h/"],
        ["=http://h/"],
        ["ftp://h/"], ["nonsense"], ["http://"], ["drop+ftp://h/"], ["drop+h/"], ["drop+"], ["x+http://h/"],
        ["flights"], ["flights:x"], ["flights:http://h/"], ["flights+"], ["flights+h/a.asmx"],
        ["flights+http://h/a?wsdl"],
        ["http://h/\n"], [],
    ])
    func whatCannotBeMountedIsRefused(sources: [String]) {
        #expect {
            var request = MountRequest()
            for source in sources { try request.add(source) }
            try request.check()
        } throws: { ($0 as? CommandError)?.code == .usage }
    }

    @Test func passwordsNeverShow() throws {
        let request = try request("http://user:s3cret@host/")
        #expect(request.hasCredentials)
        #expect {
            var other = MountRequest()
            try other.add("ftp://user:s3cret@host/")
        } throws: { !(($0 as? CommandError)?.text.contains("s3cret") ?? true) }
    }

    @Test func dropSourcesAreKnownByTheirPrefix() throws {
        let request = try request("up=drop+https://host/upload?a=b", "files=http://host/")
        #expect(request.sources.map(\.name) == ["up", "files"])
        #expect(request.sources.map(\.url) == ["https://host/upload?a=b", "http://host/"])
        #expect(request.sources.map(\.form) == [UploadForm(), nil])
        #expect(request.hasDropFolder)
        #expect(try !self.request("http://host/").hasDropFolder)
    }

    @Test func oneMountHasOnlySoManyDropFolders() throws {
        var request = MountRequest()
        for index in 0..<64 { try request.add("\(index)=\(index % 2 == 0 ? "flights:" : "drop+http://h/")") }
        try request.check()
        try request.add("files=http://h/")
        try request.check()
        try request.add("one more=flights:")
        #expect { try request.check() } throws: { ($0 as? CommandError)?.code == .usage }
    }

    @Test func flightsAreKnownByTheirWordOrPrefix() throws {
        let request = try request("a=flights:", "b=flights+https://u:p@host/a.asmx", "c=https://host/")
        #expect(request.sources.map(\.name) == ["a", "b", "c"])
        #expect(request.sources.map(\.flights) == [FlightAccess(), FlightAccess(), nil])
        #expect(request.sources[0].url == "http://webservice.webxml.com.cn/webservices/DomesticAirline.asmx")
        #expect(request.sources.map(\.shown).last == "c=https://host/")
        #expect(request.sources[1].shown == "b=flights+https://host/a.asmx")
        #expect(request.hasFlights && request.hasCredentials && !request.hasUserID)
        let (sources, credentials) = try request.opened(MountSettings())
        #expect(sources.map(\.shownAddress)[1] == "https://host/a.asmx" && credentials.count == 1)
        let copy = try JSONDecoder().decode(MountRequest.self, from: JSONEncoder().encode(request))
        #expect(copy.sources.map(\.flights) == request.sources.map(\.flights))
    }

    @Test func theFormGoesThroughThePipe() throws {
        var form = UploadForm()
        try form.addParameter("token=s3cret", from: "--drop-param")
        try form.addSuccess("status=303", from: "--success")
        var request = try request("drop+https://host/upload")
        #expect(!request.hasSecrets)
        request.setForm(form)
        #expect(request.hasSecrets)
        let copy = try JSONDecoder().decode(MountRequest.self, from: JSONEncoder().encode(request))
        #expect(copy.sources.map(\.form) == [form])
    }
}
